// Why an address gave no reply at all: looks at refusals, the route, the neighbour, and at TCP.
#pragma once

#include <string>

#include <diag/verdict.hpp>

#include "reach_judge.hpp"

namespace diag::names {

struct Silenced {
    Verdict verdict;
    std::string heard_on;  // the interface on which the address itself answered ARP or neighbour discovery; "": it was not heard
};

// `run` has no reply in time.  Adds what it looked at to `evidence`.
Silenced explain_silence(const EchoRun& run, const ReachQuestion& question, World& world, std::string& evidence);

}  // namespace diag::names
