// The judgement of link.state over a World: which of its causes holds.
#pragma once

#include <optional>
#include <string>

#include "finding.hpp"
#include "world.hpp"

namespace diag::link {

struct StateQuestion {
    std::string interface;
    std::optional<Rate> speed;        // at least
    std::optional<std::string> mac;   // the adapter's permanent one
    std::optional<std::string> path;  // its PCI function, "0000:01:00.0"
};

// Throws diag::BadValue where `mac` or `path` is none.
Finding judge_state(const StateQuestion& question, World& world);

}  // namespace diag::link
