// How many bytes each interface of this network namespace has carried: which one a test really used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace diag::probe {

// Bytes since the interface was made, as its driver counts them (IFLA_STATS64): with the headers of the link, as a rule.
struct Traffic {
    unsigned interface = 0;  // index
    std::string name;
    std::uint64_t received = 0, sent = 0;
};

// Interfaces without counters are left out.  Throws diag::Unreadable where the kernel would not say.
std::vector<Traffic> traffic();

// What was carried between the two; an interface that came or went meanwhile, or whose counters were set back, is left out.
std::vector<Traffic> difference(const std::vector<Traffic>& before, const std::vector<Traffic>& after);

}  // namespace diag::probe
