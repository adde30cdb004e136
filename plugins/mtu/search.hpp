// The largest packet that passes, to the byte, in as few round trips as it takes.
// Knows nothing of sockets, and gives no verdict: see decide.hpp.
#pragma once

#include <cstdint>

#include "ledger.hpp"
#include "prober.hpp"

namespace mtu {

struct Sizes {
    std::int64_t intended = 0;  // bytes: what the path should carry
    std::int64_t floor = 0;     // bytes: what every path carries; 68 for IPv4 (RFC 791), 1280 for IPv6 (RFC 8200)
    int probes = 3;             // of the intended size, and to confirm each side of the boundary
};

// The intended size, an Ethernet-sized control and a small one, in one volley: on a clean path all that is needed.
void ask_intended(Prober& prober, const Sizes& sizes, Ledger& ledger);

enum class Found {
    intended,   // the intended size passes
    exact,      // ledger.largest_reply() passes, and one byte more does not
    limited,    // echo is answered too rarely to say
    unclear,    // too much is lost to say
    no_answer,  // nothing of any size was answered
};

// Goes on after ask_intended() until the boundary is sure, or cannot be.
Found narrow(Prober& prober, const Sizes& sizes, Ledger& ledger);

}  // namespace mtu
