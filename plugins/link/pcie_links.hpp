// What PCI Express carries on the way to interfaces, and whether its links run at what both their sides can do.
// Not for measuring: what is carried is the line's rate behind its code; packet headers take some more.
#pragma once

#include <optional>
#include <vector>

#include "machine.hpp"
#include "probe/pcie.hpp"

namespace diag::link {

using PciePath = std::vector<probe::PcieStep>;

// Outermost first; empty where the interface is none of PCI Express, or its function does not say.
PciePath pcie_path_of(const Seen& seen, const std::filesystem::path& root);

// What these functions carry together.  Functions of one device, and devices behind one bridge, share its link.
Rate carried(const std::vector<PciePath>& paths);
inline Rate carried(const PciePath& path) { return carried(std::vector<PciePath>{path}); }

// The step that holds the path back, the innermost of equals.  The path is not empty.
const probe::PcieStep& slowest(const PciePath& path);

// One link, its two sides, and in what it does less than both could.
struct HeldBack {
    probe::PcieStep above, below;
    bool narrow = false, slow = false;  // fewer lanes; fewer transfers a second
};
// The innermost link that does less; nothing where every link does what its lesser side can.
std::optional<HeldBack> held_back(const PciePath& path);

// Whether two interfaces are functions of one physical port.  Without the identity of switch or adapter, only functions of one PCI
// device are taken for one: another card of the same make has ports of the same names.
bool same_port(const Seen& one, const Seen& other);
// All functions of its port, itself too.
std::vector<const Seen*> functions_of_port(const Machine& machine, const Seen& seen);
// Other interfaces that share its slowest link, whichever port they have.
std::vector<const Seen*> sharers(const Machine& machine, const Seen& seen, const std::filesystem::path& root);

}  // namespace diag::link
