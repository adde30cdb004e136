// Where other machines can meet this one, and which of them answer on its links: what `diag init --peer` joins machines by.
// Not for judging a link that a site file gives: link.pair and link.topology.
#pragma once

#include <string>
#include <vector>

#include <diag/plugin.hpp>

#include "machine.hpp"

namespace diag::link {

// Tells the endpoints and the interfaces that are none, and asks for each of these addresses (others are left) on every interface
// that has it in a network.
void look_for(const std::vector<std::string>& others, const Machine& machine, World& world, Look& look);

// Of this interface's addresses, those in whose network somebody else can be; IPv4 first.
std::vector<probe::InterfaceAddress> meeting_addresses(const Seen& seen);

// Why nobody can be met by it; "" where somebody can.
std::string unfit(const Machine& machine, const Seen& seen);

}  // namespace diag::link
