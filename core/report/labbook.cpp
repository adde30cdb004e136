#include "report/labbook.hpp"

#include <cmath>

namespace diag::report {
namespace {

// A whole number as one: 12.0 bits are 12 bits.
json number(double value) {
    const double whole = std::round(value);
    return whole == value && std::abs(value) < 9e15 ? json(static_cast<std::int64_t>(whole)) : json(value);
}

json measured(const json& verdict, const std::string& name) {
    for (const auto& m : verdict.value("measurements", json::array()))
        if (m.value("name", "") == name && m.contains("value") && m["value"].is_number()) return number(m["value"].get<double>());
    return nullptr;
}

json filled(const json& pattern, const json& verdict) {
    if (pattern.is_object()) {
        json map = json::object();
        for (const auto& [key, value] : pattern.items()) map[key] = filled(value, verdict);
        return map;
    }
    const std::string text = pattern.get<std::string>();
    if (text.rfind("measured.", 0) == 0) return measured(verdict, text.substr(9));
    if (text.rfind("param.", 0) == 0) return verdict.value("params", json::object()).value(text.substr(6), json());
    return text;
}

}  // namespace

std::vector<json> labbook_lines(const RunView& view, const json& table) {
    std::vector<json> lines;
    for (const auto& checkpoint : view.checkpoints)
        for (const auto& row : checkpoint.rows)
            for (const auto& check : row.checks) {
                if (!check.outcome || check.outcome == host::Outcome::skip || check.reused() || !table.contains(check.check)) continue;
                json line = filled(table[check.check], check.verdict);
                const std::string time = check.text("time");  // "2026-11-30T06:15:00.123Z"
                line.update({{"lab", "diag/" + view.runbook},
                             {"real", !view.lab},
                             {"date", time.substr(0, 10)},
                             {"recorded_at", time.substr(0, 19) + "+00:00"},
                             {"from_machine", view.machine},
                             {"row", row.row},
                             {"outcome", to_text(*check.outcome)},
                             {"cause", check.verdict.value("cause", json())}});
                lines.push_back(std::move(line));
            }
    return lines;
}

}  // namespace diag::report
