// The speed of an interface as far as one can be judged: of hardware, of a bond by its members, of a VLAN by what it stands on.
#pragma once

#include <optional>
#include <string>

#include "machine.hpp"

namespace diag::link {

struct LinkSpeed {
    std::optional<Rate> rate;
    std::string words;         // of what it is the sum, or why there is none to judge
    bool should_know = false;  // there is none, although hardware of this sort reports one
};

// The interface must have carrier: without, what the driver says is stale.
LinkSpeed speed_of(const Machine& machine, const Seen& seen, const std::filesystem::path& root);

}  // namespace diag::link
