// Who configures an interface: what the run state of NetworkManager, systemd-networkd and ifupdown says, and netplan behind them.
// Not for interfaces that the machine makes itself (bridges, bonds, containers): their numbers may be another network's.
#pragma once

#include <filesystem>
#include <string>

#include "probe/netlink.hpp"

namespace diag::link {

// "netplan (networkd)", "NetworkManager", "ifupdown", both joined by " + " where two claim it; "" where nobody does.  What an ordinary
// user may not read of it is said to be not readable.
std::string owner_of(const std::filesystem::path& root, const probe::Interface& interface);

}  // namespace diag::link
