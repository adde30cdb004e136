// How much a link has to carry, and why that much.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <diag/types.hpp>

namespace diag::bulk {

// The most that one thing allows.
struct Ceiling {
    Rate rate;
    std::string what;  // "the speed of port eth0"
};

struct Floor {
    double bits_per_second = 0;
    std::string words;  // "80 % of 92 Gbit/s, what the site file expects"
};

// A fraction is one of the lowest ceiling.  Nothing where it is that and there is no ceiling.
std::optional<Floor> floor_from(const RateOrFraction& given, const std::vector<Ceiling>& ceilings);

// What sysfs tells of an interface's hardware; everything is empty for a virtual one.
struct Hardware {
    std::string place;         // "/sys/devices/pci0000:00/...": the same after a reboot and a renaming
    std::optional<Rate> port;  // what was negotiated; meaningful with carrier
    std::optional<Rate> pcie;  // the narrowest PCIe link on the way to it, without the encoding of the line
};

// Throws nothing: what cannot be read is not known.  `index` is netlink's, as /sys may show another network namespace.
Hardware hardware_of(const std::filesystem::path& root, const std::string& interface, unsigned index);

}  // namespace diag::bulk
