#include "base/nearest.hpp"

#include <algorithm>
#include <cstddef>

namespace diag::base {
namespace {

// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& names) {
    return nearest(name, names, std::max<std::size_t>(2, name.size() / 3));
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& names, std::size_t most) {
    if (name.size() > 128) return std::nullopt;
    std::optional<std::string> best;
    std::size_t best_distance = most + 1;
    for (const auto& candidate : names) {
        if (candidate.size() > 128) continue;
        const std::size_t d = distance(name, candidate);
        if (d < best_distance) {
            best = candidate;
            best_distance = d;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& names) {
    const auto near = nearest(name, names);
    return near ? "; did you mean '" + *near + "'?" : "";
}

}  // namespace diag::base
