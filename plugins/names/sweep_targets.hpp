// What a person writes for many addresses, spelled out: single ones, prefixes, ranges; and back again, as ranges.
// Names are left to the caller.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/address.hpp"

namespace diag::names {

// "10.0.0.1", "10.0.0.0/22" (without network and broadcast address), "10.0.0.1-10.0.0.200", "fd00::/120", "fe80::1%eth0".
// Nothing where `text` is a name.  Throws BadValue where it is none of these, where an address is no single machine's
// (multicast, 0.0.0.0), or where it has more than `most` addresses.
std::optional<std::vector<probe::Address>> addresses_of(std::string_view text, std::size_t most);

// Neighbours folded, in order, each once: "10.0.0.1-10.0.0.9, 10.0.0.12"; after `most` pieces "and 17 more addresses".
std::string ranges_text(std::vector<probe::Address> addresses, std::size_t most);

}  // namespace diag::names
