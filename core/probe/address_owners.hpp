// Who on a link says, now, that an address is his: an ARP probe (RFC 5227) or a duplicate address detection (RFC 4862), which ask
// without an address of their own, so that nobody's cache is changed by the question.
// Not for reaching anybody: neighbour_ask.hpp asks as traffic does.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "probe/address.hpp"

namespace diag::probe {

// The distinct MACs that answered within `patience`, in the order in which they came; it is always waited to its end, as the second
// answer is the one that matters.  Nothing where this process may not ask (CAP_NET_RAW), or where the link is no Ethernet.
// Throws Absent where there is no such interface.
std::optional<std::vector<std::string>> address_owners(const Address& address, unsigned interface_index,
                                                       std::chrono::milliseconds patience);

}  // namespace diag::probe
