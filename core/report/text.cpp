#include "report/text.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include <diag/units.hpp>

#include "base/utf8.hpp"
#include "report/layout.hpp"

namespace diag::report {
namespace {

using base::printable;
using host::Outcome;

constexpr std::size_t name_columns = 14;

// What a finished checkpoint says in one line: whom it spoke to, or which row decided.
std::string summary(const CheckpointView& checkpoint) {
    if (checkpoint.rows.empty()) return checkpoint.no_rows.empty() ? "no rows" : checkpoint.no_rows;
    const auto bad = std::find_if(checkpoint.rows.begin(), checkpoint.rows.end(), [&](const auto& row) {
        return row.outcome() == checkpoint.outcome && checkpoint.outcome != Outcome::pass;
    });
    const RowView& row = bad != checkpoint.rows.end() ? *bad : checkpoint.rows.front();
    if (checkpoint.stopped()) {
        const std::size_t all = checkpoint.rows.size();
        const auto failed = static_cast<std::size_t>(std::count_if(checkpoint.rows.begin(), checkpoint.rows.end(), [](const auto& r) {
            return r.outcome() == Outcome::fail || r.outcome() == Outcome::not_run;
        }));
        const std::string label = row.row.empty() ? (row.decisive() != nullptr ? row.decisive()->id : "") : row.row;
        return all == 1 ? label : fmt::format("{} ({} of {} rows)", label, failed, all);
    }
    if (checkpoint.rows.size() > 1) return counted(checkpoint.rows.size(), "row");
    if (!row.row.empty()) return row.row;
    return row.decisive() != nullptr ? row.decisive()->text("reason") : "";
}

// Reasons of one kind in a checkpoint, each once, with how often.
std::string reasons(const CheckpointView& checkpoint, Outcome outcome, std::string_view word, const TextStyle& style) {
    std::map<std::string, std::size_t> seen;
    std::vector<std::string> order;
    for (const auto& row : checkpoint.rows)
        for (const auto& check : row.checks) {
            if (check.outcome != outcome) continue;
            std::string reason = check.text("reason");
            if (!check.text("cause").empty()) reason += " [" + check.text("cause") + "]";
            if (seen[reason]++ == 0) order.push_back(reason);
        }
    std::string text;
    for (const auto& reason : order) {
        const std::string times = seen[reason] > 1 ? fmt::format(" ({} times)", seen[reason]) : "";
        text += wrapped(fmt::format("   {}: ", word), reason + times, style);
    }
    return text;
}

std::string ago(double seconds) { return seconds < 1 ? "just now" : units::show_duration(seconds) + " ago"; }

// Costly checks of a resumed run: which passes count again, and why the others were measured anew.
std::string reuse(const CheckpointView& checkpoint, const TextStyle& style) {
    std::string text;
    for (const auto& row : checkpoint.rows)
        for (const auto& check : row.checks) {
            const std::string who = check.id + (row.row.empty() ? "" : ", " + row.row);
            if (check.reused()) text += wrapped("   reused: ", who + ", measured " + ago(check.verdict["reused"].value("age", 0.0)), style);
            for (const auto& change : check.verdict.value("changed", std::vector<std::string>{}))
                text += wrapped("   ran again: ", who + ": " + change, style);
        }
    return text;
}

}  // namespace

std::string value_text(double value, const std::string& unit) {
    if (unit == "bit/s") return units::show_rate({static_cast<std::int64_t>(value)});
    if (unit == "s") return units::show_duration(value);
    const std::string number = value == static_cast<double>(static_cast<std::int64_t>(value))
                                   ? fmt::format("{}", static_cast<std::int64_t>(value))
                                   : fmt::format("{:.3g}", value);
    return unit.empty() || unit == "count" ? number : number + " " + printable(unit);
}

std::string measurement_text(const json& m) {
    std::string text = fmt::format("{} {}", printable(m.value("name", "")), value_text(m.value("value", 0.0), m.value("unit", "")));
    const auto limit = [&](const char* key) { return value_text(m[key].get<double>(), m.value("unit", "")); };
    const bool min = m.contains("min") && m["min"].is_number(), max = m.contains("max") && m["max"].is_number();
    if (min && max && m["min"] == m["max"]) return text + fmt::format(" (must be {})", limit("min"));
    if (min) text += fmt::format(" (at least {})", limit("min"));
    if (max) text += fmt::format(" (at most {})", limit("max"));
    return text;
}

std::string header(const RunView& view, const TextStyle& style) {
    std::string text = printable(view.runbook);
    const auto add = [&](const std::string& part) { text += std::string(dot(style)) + part; };
    if (!view.machine.empty()) add(printable(view.machine));
    if (view.machines != 0) add(counted(view.machines, "machine") + ", " + counted(view.links, "link"));
    if (view.lab) add("LAB (not a real network)");
    if (!view.root.empty()) add("CAPTURED TREE " + printable(view.root));
    if (!view.record.empty()) add("record " + view.record);
    if (view.resumed > 0) add("resumed");
    text += "\n";
    for (const auto& change : view.changed) text += wrapped("   changed: ", change, style);
    return text + "\n";
}

std::string checkpoint_text(const CheckpointView& checkpoint, const TextStyle& style) {
    const Outcome outcome = checkpoint.outcome.value_or(Outcome::not_run);
    const std::string time = units::show_duration(std::max(0.0, checkpoint.ended - checkpoint.started));
    const std::size_t room = style.width > name_columns + 16 ? style.width - name_columns - 15 : 20;
    std::string text = fmt::format(" {} {} {} {:>9}\n", painted(outcome, glyph(outcome, style), style),
                                   padded(printable(checkpoint.id), name_columns), padded(printable(summary(checkpoint)), room), time);
    text += reasons(checkpoint, Outcome::warn, "warning", style);
    text += reasons(checkpoint, Outcome::skip, "skipped", style);
    text += reuse(checkpoint, style);
    if (!style.verbose) return text;
    for (const auto& row : checkpoint.rows) {
        if (!row.row.empty()) text += wrapped("     ", row.row, style);
        for (const auto& check : row.checks)
            if (check.outcome)
                text +=
                    wrapped(fmt::format("     {} {:<16} ", glyph(*check.outcome, style), printable(check.id)), check.text("reason"), style);
    }
    return text;
}

std::string whole(const RunView& view, const TextStyle& style) {
    std::string text = header(view, style);
    for (const auto& checkpoint : view.checkpoints)
        if (checkpoint.outcome) text += checkpoint_text(checkpoint, style);
    return text + ending(view, style);
}

}  // namespace diag::report
