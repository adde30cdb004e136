// The judgement of names.reach over a World: what answered, and where nothing did, why.  No sockets, no files.
#pragma once

#include <optional>
#include <string>

#include "finding.hpp"
#include "world.hpp"

namespace diag::names {

struct ReachQuestion {
    std::optional<std::string> name, address;  // the name is probed where both are given; `address` is then one of its own that counts
    EchoPlan plan;
    double max_loss = 0;     // fraction of the probes
    unsigned tcp_port = 22;  // asked where no echo comes back; 0: none
};

// Readings: loss, rtt_min, rtt_avg, rtt_max; with "[ADDRESS]" behind the name where there are several addresses.
Finding judge_reach(const ReachQuestion& question, World& world);

}  // namespace diag::names
