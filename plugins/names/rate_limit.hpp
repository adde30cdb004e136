// Lost echoes that a rate limit explains: firewalls and hosts answer so many a second and drop the others, which is no fault of a wire.
#pragma once

#include <string>

#include "world.hpp"

namespace diag::names {

// `run` was answered in part.  Asks again, slowly and then in one volley: true where all slow probes come back, and the quick ones are
// lost after a burst.  Adds what it saw to `evidence`.
bool rate_limited(const EchoRun& run, const EchoPlan& plan, World& world, std::string& evidence);

}  // namespace diag::names
