// The judgement of link.pcie over a World: what PCI Express carries to an interface's adapter, and whether that is enough.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "finding.hpp"
#include "world.hpp"

namespace diag::link {

struct PcieQuestion {
    std::string interface;
    std::optional<Rate> speed{};          // what the link is rated at; else what the interface negotiated
    std::optional<Rate> expect{};         // what it is known to deliver, where that is less
    std::optional<std::int64_t> width{};  // lanes, at least
    std::optional<double> transfers{};    // GT/s of each lane, at least
};

// Throws diag::Absent where there is no such interface.
Finding judge_pcie(const PcieQuestion& question, World& world);

}  // namespace diag::link
