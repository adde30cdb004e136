// How fast a PCI Express function is connected, at every step from the root port to it.
// Not every function says: integrated ones and virtual machines' have no such files.  USB4 and Thunderbolt bridges say 2.5 GT/s x1
// whatever they carry (PCI Express over USB4 has no lanes of its own); they are left out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <diag/units.hpp>

namespace diag::probe {

struct PcieSpeed {
    double gigatransfers = 0;  // a second and lane
    unsigned lanes = 0;
    // What a link of this speed carries behind its line code: 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s, and above
    // FLITs of 256 bytes with 242 of payload (PCI Express base specification).
    Rate rate() const;
    std::string text() const;  // "32 GT/s x4"
};

// One function on the way: what its link runs at, and what its side of it could do.
struct PcieStep {
    std::string function;  // "0000:01:00.0"
    PcieSpeed now, most;
};

// Outermost first; the last is the device itself.  Empty where it does not say, or is no PCI function.
// `device`: its folder, "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0".
std::vector<PcieStep> pcie_path(const std::filesystem::path& root, const std::string& device);

}  // namespace diag::probe
