// Why an address gave no reply at all: looks at refusals, the route, the neighbour, and at TCP.
#pragma once

#include <diag/verdict.hpp>

#include "reach_judge.hpp"

namespace diag::names {

// `run` has no reply in time.  Adds what it looked at to `evidence`.
Verdict explain_silence(const EchoRun& run, const ReachQuestion& question, World& world, std::string& evidence);

}  // namespace diag::names
