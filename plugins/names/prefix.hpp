// Whether an address lies in a prefix of an interface: then it belongs to that interface's link.
#pragma once

#include <vector>

#include "probe/netlink.hpp"

namespace diag::names {

// The first `bits` bits of both are equal, and both are of one family.
bool in_prefix(const probe::Address& address, const probe::Address& network, unsigned bits);

bool on_link(const std::vector<probe::InterfaceAddress>& addresses, unsigned interface, const probe::Address& address);

}  // namespace diag::names
