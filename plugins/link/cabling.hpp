// Whether the profiles stand on the ports that have the cables: the part of link.topology that reads configuration.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <diag/verdict.hpp>

#include "machine.hpp"

namespace diag::link {

struct Cabling {
    std::optional<Verdict> verdict;  // link.profile-without-cable
    std::string words;               // what could not be known
    std::string table;               // the profiles, for the evidence
};

// Of an adapter: whether it has the cable and no profile while another's profile has no cable, or the other way round.
Cabling judge_cabling(const Machine& machine, const Seen& subject, const std::filesystem::path& root);

}  // namespace diag::link
