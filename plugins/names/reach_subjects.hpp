// The addresses that names.reach is about: what it probes, and what it tells of without a probe.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <diag/verdict.hpp>

#include "reach_judge.hpp"

namespace diag::names {

struct Subjects {
    std::vector<probe::Address> addresses;  // to probe
    std::vector<probe::Address> unrouted;   // of the name, and no route leads there
    std::size_t more = 0;                   // of the name, beyond what is probed
};

// Fills `subjects`, or says why there are none.
std::optional<Verdict> find_addresses(const ReachQuestion& question, World& world, Subjects& subjects);

}  // namespace diag::names
