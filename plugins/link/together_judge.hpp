// From what the functions of one port carried at the same time to a verdict.  Pure: no network, no program.
// Not for what each carries alone: that is bulk_judge.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <diag/verdict.hpp>

#include "bulk_floor.hpp"
#include "bulk_judge.hpp"
#include "pcie_links.hpp"

namespace diag::bulk {

struct Together {
    std::vector<Findings> functions;  // as for link.bulk, but without floors; all have run the same ways
    std::vector<Rate> expects;        // of each alone, where the site file says; else empty
    std::optional<Floor> floor;       // of their sum
    unsigned processors = 1;          // of this machine
};

// What is known of the functions of one port.
struct PortKnown {
    std::vector<std::string> interfaces;
    std::vector<Hardware> hardware;     // of each
    std::vector<link::PciePath> paths;  // of each; one that is empty is not known
    std::vector<Rate> speeds, expects;  // the site file's
};

// The most that all may carry together.  Each function of a port tells the port's speed, so that counts once; PCIe lanes that several
// share count once, too; what each is expected to carry adds up.
std::vector<Ceiling> total_ceilings(const PortKnown& known);

// The sum of one direction, as received; 0 where it did not run.
double sum(const Together& together, bool reverse);

// What stopped one of the flows from being a measurement, or nothing.
std::optional<Verdict> trouble(const Together& together);

Verdict decide(const Together& together);

// "there 183 Gbit/s (enp1s0f0np0 92 Gbit/s, enP2p1s0f0np0 91 Gbit/s), back 181 Gbit/s (...)"
std::string summary(const Together& together);

}  // namespace diag::bulk
