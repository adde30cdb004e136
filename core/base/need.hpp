// The words by which a check says what it cannot run without: the host reads them when it loads, the worker when it runs.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace diag::base {

inline constexpr std::array<std::string_view, 4> plain_needs = {"root", "icmp", "net_admin", "net_raw"};

struct ProgramNeed {
    std::string name;
    std::string package;  // that holds it; "" where the check does not say
};

// "program:NAME" or "program:NAME=PACKAGE"; nothing where the word is neither.  A name is no path.
std::optional<ProgramNeed> program_need(std::string_view word);

}  // namespace diag::base
