// What looks wrong with the addresses of a machine: interfaces in one prefix, and bridges for containers in a link's.
#pragma once

#include <vector>

#include "suspicion.hpp"

namespace diag::link {

// The machine's addresses are known.
std::vector<Suspicion> prefix_suspicions(const Machine& machine, World& world);

}  // namespace diag::link
