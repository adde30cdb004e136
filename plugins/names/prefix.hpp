// What this machine's own addresses say of another: whether it lies on the link of an interface, and whether its family is used here.
#pragma once

#include <vector>

#include "probe/netlink.hpp"

namespace diag::names {

using probe::in_prefix;

bool on_link(const std::vector<probe::InterfaceAddress>& addresses, unsigned interface, const probe::Address& address);

// This machine has an address of that family, beside loopback and link-local ones: then getaddrinfo() gives such
// addresses to programs (AI_ADDRCONFIG, and the sorting of RFC 6724).
bool family_in_use(const std::vector<probe::InterfaceAddress>& addresses, const probe::Address& address);

}  // namespace diag::names
