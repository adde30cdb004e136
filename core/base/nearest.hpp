// "Did you mean": the known name closest to one that is not known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace diag::base {

// The closest of `names` by edits (a swap of neighbours is one), where it is close enough to be meant.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& names);

// "; did you mean 'x'?", or "" where nothing is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& names);

}  // namespace diag::base
