// A sweep in numbers and in words: which address is alive, silent, late, doubled, lossy or was not asked.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "finding.hpp"
#include "sweep_run.hpp"

namespace diag::names {

struct SweepTarget {
    probe::Address address;
    std::string name;  // "" where the address was given as such
};

struct SweepTally {
    using Addresses = std::vector<probe::Address>;
    Addresses alive, silent;                                      // silent: asked, and not answered within the timeout
    std::map<int, Addresses> unsent;                              // by errno: not alive, and this machine would not send to it
    Addresses late, doubled, lossy;                               // of the alive ones
    std::chrono::nanoseconds fastest{0}, slowest{0}, average{0};  // round trips; 0 where nothing answered
    std::string lines;                                            // one for each address that is not simply alive, up to a bound
};

SweepTally tally(const std::vector<SweepTarget>& targets, const SweepRun& run, const SweepPlan& plan, std::chrono::nanoseconds late);

// `least`: how many must be alive.
std::vector<Reading> readings_of(const SweepTally& tally, std::size_t addresses, double least);
// "998 of 1000 answered, 0.1/0.2/0.9 ms; 2 silent"
std::string summary(const SweepTally& tally, std::size_t addresses);
std::string evidence_of(const SweepTally& tally, const SweepRun& run);

}  // namespace diag::names
