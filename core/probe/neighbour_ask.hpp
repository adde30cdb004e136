// Whether somebody on a link says, now, that an address is his: one ARP request (RFC 826) or neighbour solicitation
// (RFC 4861), and one repetition.  The kernel's own entry may be older than the silence that is to be explained.
// Not for finding out who it is, and never for answering.
#pragma once

#include <chrono>
#include <optional>

#include "probe/address.hpp"

namespace diag::probe {

// Waits `patience` after each of two requests.  Nothing where this process may not ask (CAP_NET_RAW), or where
// the link has no such protocol or no address to ask from.  Throws Absent where there is no such interface.
std::optional<bool> ask_neighbour(const Address& address, unsigned interface_index, std::chrono::milliseconds patience);

}  // namespace diag::probe
