#include "host/result.hpp"

#include <algorithm>
#include <array>

namespace diag::host {
namespace {

constexpr std::array<std::string_view, 5> names = {"pass", "skip", "warn", "not_run", "fail"};

json optional(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

}  // namespace

std::string_view to_text(Outcome outcome) { return names.at(static_cast<std::size_t>(outcome)); }

std::optional<Outcome> outcome_from(std::string_view text) {
    const auto* at = std::ranges::find(names, text);
    if (at == names.end()) return std::nullopt;
    return static_cast<Outcome>(at - names.begin());
}

Outcome worse(Outcome a, Outcome b) {
    if (a == b) return a;
    const Outcome worst = std::max(a, b);
    return worst == Outcome::skip ? Outcome::pass : worst;
}

json to_json(const Measurement& m) {
    return {{"name", m.name},         {"value", m.value},       {"unit", m.unit},
            {"min", optional(m.min)}, {"max", optional(m.max)}, {"within", m.within}};
}

}  // namespace diag::host
