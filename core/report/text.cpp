#include "report/text.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <diag/units.hpp>

#include "base/utf8.hpp"
#include "report/layout.hpp"

namespace diag::report {
namespace {

using base::printable;
using host::Outcome;

constexpr std::size_t name_columns = 14;

std::string counted(std::size_t count, std::string_view one) { return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s"); }

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

std::string field(std::string_view name, const std::string& text, const TextStyle& style) {
    return text.empty() ? "" : wrapped(fmt::format("   {:<10}", name), text, style);
}

std::string measured(const CheckView& check) {
    if (!check.text("saw").empty()) return check.text("saw");
    std::string text;
    for (const auto& m : check.verdict.value("measurements", json::array())) text += (text.empty() ? "" : "; ") + measurement_text(m);
    return text;
}

// Where a person finds what was kept: the folder that holds every file, or the one file.
std::string evidence_place(const CheckView& check) {
    std::string place;
    for (const auto& kept : check.verdict.value("evidence", json::array())) {
        const std::string path = kept.value("path", "");
        place = place.empty() ? path : path.substr(0, path.find_last_of('/') + 1);
    }
    return place;
}

// Rows other than the explained one that failed too.
std::string other_failures(const CheckpointView& checkpoint, const RowView* explained, const TextStyle& style) {
    std::string text;
    for (const auto& row : checkpoint.rows) {
        const CheckView* check = row.decisive();
        if (&row == explained || check == nullptr || (check->outcome != Outcome::fail && check->outcome != Outcome::not_run)) continue;
        text += wrapped("   also      ", fmt::format("{}: {} [{}]", row.row, check->text("reason"), check->text("cause")), style);
    }
    return text;
}

std::string not_reached(const RunView& view, const TextStyle& style) {
    std::vector<std::string> names, left_out;
    for (const auto& checkpoint : view.checkpoints) {
        if (checkpoint.reached() || checkpoint.id == view.paused_at) continue;
        const bool wanted = view.only.empty() || std::ranges::find(view.only, checkpoint.id) != view.only.end();
        (wanted ? names : left_out).push_back(checkpoint.id);
    }
    std::string text;
    if (!names.empty()) text += wrapped("   not reached: ", fmt::format("{}", fmt::join(names, ", ")), style);
    if (!left_out.empty()) text += wrapped("   left out by --only: ", fmt::format("{}", fmt::join(left_out, ", ")), style);
    return text.empty() ? "" : "\n" + text;
}

std::string stopped_names(const RunView& view) {
    std::string names;
    for (const auto& checkpoint : view.checkpoints)
        if (checkpoint.stopped()) names += (names.empty() ? "" : ", ") + printable(checkpoint.id);
    return names;
}

// The checkpoint and check that an interruption cut off.
std::string where_it_stood(const RunView& view) {
    for (const auto& checkpoint : view.checkpoints) {
        if (!checkpoint.reached() || checkpoint.outcome) continue;
        for (const auto& row : checkpoint.rows)
            for (const auto& check : row.checks)
                if (!check.outcome)
                    return fmt::format(" in {}, {}{}", printable(checkpoint.id), printable(check.id),
                                       row.row.empty() ? "" : ", " + printable(row.row));
        return " in " + printable(checkpoint.id);
    }
    return "";
}

std::string last_line(const RunView& view, const TextStyle& style) {
    const std::string skipped = view.skipped() == 0 ? "" : fmt::format("{}{} skipped", dot(style), counted(view.skipped(), "check"));
    if (view.state == "passed" && view.worst() == Outcome::skip) return "nothing was judged: everything was skipped" + skipped + "\n";
    if (view.state == "passed") {
        const bool warned = view.worst() == Outcome::warn;
        return painted(warned ? Outcome::warn : Outcome::pass, warned ? "passed with warnings" : "passed", style) + skipped + "\n";
    }
    if (view.state == "paused") {
        std::string text = fmt::format("paused at {}: the owner has to move\n", printable(view.paused_at));
        for (const auto& step : view.owner_steps) text += wrapped("   - ", step, style);
        return text + (view.reboot ? "   - Reboot this machine.\n" : "");
    }
    const std::string stopped = stopped_names(view);
    const std::string then = view.record.empty() ? "" : "Then: diag resume\n";
    if (view.state == "interrupted" || stopped.empty()) return view.state + where_it_stood(view) + skipped + "\n" + then;
    return painted(view.worst(), fmt::format("{} at {}", view.worst() == Outcome::fail ? "failed" : "could not tell", stopped), style) +
           fmt::format(" (exit {})", exit_code(view, FailOn::warn)) + skipped + "\n" + then;
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
    for (const auto& row : checkpoint.rows)
        for (const auto& check : row.checks)
            if (check.outcome)
                text +=
                    wrapped(fmt::format("     {} {:<16} ", glyph(*check.outcome, style), printable(check.id)), check.text("reason"), style);
    return text;
}

std::string explanation(const CheckView& check, const std::string& machine, const TextStyle& style) {
    std::string text = "\n" + wrapped("   ", check.text("reason"), style);
    if (check.machine != machine) text += field("ran on", check.machine, style);
    text += field("asked", check.text("asked"), style);
    text += field("measured", measured(check), style);
    if (!check.text("cause").empty()) text += field("cause", check.text("cause") + ": " + check.text("meaning"), style);
    text += field("who", check.text("mover"), style);
    text += field("next", check.text("next"), style);
    text += field("evidence", evidence_place(check), style);
    for (const auto& note : check.verdict.value("notes", json::array())) text += field("note", note.get<std::string>(), style);
    return text;
}

// Where the texts of both ends lie, in one line for all plugins.
std::string ends_text(const RunView& view, const CheckpointView& checkpoint, const TextStyle& style) {
    std::vector<std::string> machines, silent;
    std::string folder;
    for (const auto& snapshot : view.snapshots) {
        if (snapshot.value("checkpoint", "") != checkpoint.id || snapshot.value("attempt", 0) != checkpoint.attempt) continue;
        const std::string machine = snapshot.value("machine", "").empty() ? "this machine" : snapshot.value("machine", "");
        const json evidence = snapshot.value("evidence", json::array());
        auto& list = evidence.empty() ? silent : machines;
        if (std::ranges::find(list, machine) == list.end()) list.push_back(machine);
        if (!evidence.empty() && folder.empty()) folder = std::filesystem::path(evidence[0].value("path", "")).parent_path().string() + "/";
    }
    std::string text;
    if (!machines.empty()) text = fmt::format("what {} looked like then: {}snapshot-*", fmt::join(machines, " and "), folder);
    if (!silent.empty()) text += fmt::format("{}nothing could be kept of {}", text.empty() ? "" : "; ", fmt::join(silent, " and "));
    return field("kept", text, style);
}

std::string ending(const RunView& view, const TextStyle& style) {
    std::string text;
    for (const auto& checkpoint : view.checkpoints) {
        const auto decided = std::find_if(checkpoint.rows.begin(), checkpoint.rows.end(),
                                          [&](const auto& row) { return checkpoint.stopped() && row.outcome() == checkpoint.outcome; });
        if (decided == checkpoint.rows.end()) continue;
        text += explanation(*decided->decisive(), view.machine, style);
        text += ends_text(view, checkpoint, style);
        text += other_failures(checkpoint, &*decided, style);
    }
    return text + not_reached(view, style) + "\n" + last_line(view, style);
}

std::string whole(const RunView& view, const TextStyle& style) {
    std::string text = header(view, style);
    for (const auto& checkpoint : view.checkpoints)
        if (checkpoint.outcome) text += checkpoint_text(checkpoint, style);
    return text + ending(view, style);
}

}  // namespace diag::report
