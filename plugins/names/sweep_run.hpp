// Echo probes to thousands of addresses over one ICMP socket a family, at an even pace.
// Not for judging: sweep_judge.hpp says what the answers mean.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/echo.hpp"

namespace diag::names {

struct SweepPlan {
    std::string interface;                                            // "": the route decides
    unsigned count = 1;                                               // probes to each address, a round after the other
    std::chrono::nanoseconds interval{std::chrono::milliseconds(1)};  // between two packets, whoever they go to
    std::chrono::nanoseconds timeout{std::chrono::seconds(1)};
};

// What came of the probes to one address.
struct SweepAnswer {
    unsigned replies = 0;                                       // probes answered within the timeout
    unsigned overdue = 0;                                       // probes answered after it
    unsigned duplicates = 0;                                    // further replies to an answered probe
    std::chrono::nanoseconds fastest{0}, slowest{0}, total{0};  // round trips of `replies`
    int error = 0;                                              // errno where this machine would not send a probe
    std::optional<probe::EchoAnswer> refusal;                   // the last ICMP error, with its sender
};

struct SweepRun {
    std::vector<SweepAnswer> answers;  // one an address, in their order
    std::string method;                // how it was asked, in words
    std::uint32_t dropped = 0;         // packets that came for us and found the receive buffer full
};

// How long a sweep waits in all for room in this machine's own queues, beside its plan.
inline constexpr std::chrono::seconds sweep_patience{15};

// Each address once.  Throws std::system_error where no ICMP socket opens or the interface is not there.
SweepRun sweep(const std::vector<probe::Address>& addresses, const SweepPlan& plan);

}  // namespace diag::names
