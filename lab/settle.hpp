// The kernel tells of a carrier a moment after it is there.  A check that ran in that moment would see a link that is down.
#pragma once

#include "lab/topology.hpp"

namespace diag::lab {

// Waits until every interface of every node shows the state that its carrier gives it, and has its link-local address.
// Throws CommandFailed after five seconds.
void settle(const Topology& lab);

}  // namespace diag::lab
