// How far packets of two sizes get, hop by hop: where on a routed path the large ones stop.
// Only for paths with a router; a switch does not count hops.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ledger.hpp"
#include "prober.hpp"

namespace mtu {

struct Hop {
    std::string router;        // that answered the small probe; "" where none did
    bool destination = false;  // it was the destination itself
    bool large = false;        // the large probe got an answer from here as well
};

struct Trace {
    std::vector<Hop> hops;  // hops[0] is the first router; ends at the destination where it was reached
    // Number of the last hop that answered a large probe; 0: not even the first did.
    std::size_t last_large() const;
    // Who answers at that hop number (from 1), for people: an address, or "hop 3, which does not answer".
    std::string at(std::size_t number) const;
    bool anybody() const;  // at least one router answered
};

// Both sizes at every hop limit, and once more those that nobody answered.
Trace trace(Prober& prober, std::int64_t small, std::int64_t large, Ledger& ledger);

}  // namespace mtu
