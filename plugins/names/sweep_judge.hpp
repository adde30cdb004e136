// The judgement of names.sweep over a World: who answers, late, twice or not at all.  No sockets, no files.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "finding.hpp"
#include "world.hpp"

namespace diag::names {

struct SweepQuestion {
    std::vector<std::string> addresses;  // single ones, prefixes, ranges, names
    std::size_t most = 4096;             // addresses; more are refused
    SweepPlan plan;
    std::chrono::nanoseconds late{std::chrono::milliseconds(100)};      // a longer round trip is late
    double min_alive = 1;                                               // share of the addresses that must answer
    std::chrono::nanoseconds names_patience{std::chrono::seconds(10)};  // after which no further name is looked up
};

// Readings: addresses, alive, silent, late, duplicates, lossy (addresses); rtt_min, rtt_avg, rtt_max over all answers.
// Throws BadValue before anything is sent where `addresses` cannot be used.
Finding judge_sweep(const SweepQuestion& question, World& world);

}  // namespace diag::names
