// The judgement of link.bond over a World: whether every lane of a bond carries traffic, and if not, who has to move.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "finding.hpp"
#include "world.hpp"

namespace diag::link {

struct BondQuestion {
    std::string interface;
    std::optional<std::int64_t> lanes{};  // how many are planned
};

// Throws diag::Absent where there is no such interface.
Finding judge_bond(const BondQuestion& question, World& world);

}  // namespace diag::link
