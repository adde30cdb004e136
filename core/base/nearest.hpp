// "Did you mean": the known name closest to one that is not known.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace diag::base {

// The closest of `names` by edits (a swap of neighbours is one), where it is close enough to be meant.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& names);

// The same, where no more than `most` edits away.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& names, std::size_t most);

// "; did you mean 'x'?", or "" where nothing is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& names);

}  // namespace diag::base
