// How far packets of two sizes get, hop by hop: where on a routed path the large ones stop.
// Only for paths with a router; a switch does not count hops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ledger.hpp"
#include "prober.hpp"

namespace mtu {

struct Hop {
    std::string router;         // that answered a probe; "" where none did
    bool destination = false;   // it was the destination itself
    std::optional<bool> large;  // the large probe got an answer from here as well; nothing: not known
};

struct Trace {
    std::vector<Hop> hops;  // hops[0] is the first router; ends at the destination where it was reached
    // Number of the last hop that answered a large probe; 0: none did.
    std::size_t last_large() const;
    // Number of the first router behind it that answers small probes, and surely not the large one: these are lost on the way
    // there.  0: there is none.  The destination is none: its answer to a large probe is large itself.
    std::size_t first_small() const;
    bool anybody() const;  // at least one router answered
};

// Both sizes at every hop limit, until each hop is known or stays silent.
Trace trace(Prober& prober, std::int64_t small, std::int64_t large, Ledger& ledger);

}  // namespace mtu
