// One run of echo probes in numbers and in words.
#pragma once

#include <chrono>
#include <string>

#include "world.hpp"

namespace diag::names {

inline double milliseconds(std::chrono::nanoseconds time) { return std::chrono::duration<double, std::milli>(time).count(); }

struct EchoStats {
    unsigned sent = 0, received = 0;       // a reply later than the timeout is not received
    double min = 0, average = 0, max = 0;  // round trip, ms; 0 where nothing was received
    double loss() const { return sent == 0 ? 0 : 1.0 - static_cast<double>(received) / sent; }
};

EchoStats stats_of(const EchoRun& run, std::chrono::milliseconds timeout);

// "5 of 5 answered, 0.1/0.2/0.4 ms"
std::string summary(const EchoStats& stats);
// The method, then a line a probe.
std::string describe(const EchoRun& run);

}  // namespace diag::names
