#include "report/labbook.hpp"

#include "report/recorded.hpp"

namespace diag::report {
namespace {

json filled(const json& pattern, const json& verdict) {
    if (pattern.is_object()) {
        json map = json::object();
        for (const auto& [key, value] : pattern.items()) map[key] = filled(value, verdict);
        return map;
    }
    if (!pattern.is_array()) return recorded(verdict, pattern.get<std::string>());
    for (const auto& each : pattern)
        if (json value = recorded(verdict, each.get<std::string>()); !value.is_null()) return value;
    return nullptr;
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
                             {"from_machine", check.machine.empty() ? view.machine : check.machine},
                             {"row", row.row},
                             {"outcome", to_text(*check.outcome)},
                             {"cause", check.verdict.value("cause", json())}});
                lines.push_back(std::move(line));
            }
    return lines;
}

std::string labbook_text(const json& line) {
    std::string text;
    bool inside = false, escaped = false;  // of a string
    for (const char c : line.dump(-1, ' ', true, json::error_handler_t::replace)) {
        text += c;
        if (!inside && (c == ':' || c == ',')) text += ' ';
        if (c == '"' && !escaped) inside = !inside;
        escaped = inside && c == '\\' && !escaped;
    }
    return text;
}

}  // namespace diag::report
