// For tests only: what this machine cannot show is left out with a word, and not passed over in silence.
#pragma once

#include <optional>
#include <string>

#include "catch.hpp"

namespace diag::probe::testing {

// if (skipped(NetLab::missing())) return;
inline bool skipped(const std::optional<std::string>& why) {
    if (why) WARN("skipped: " << *why);
    return why.has_value();
}

}  // namespace diag::probe::testing
