// What stopped a run: the second half of the text report.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/utf8.hpp"
#include "report/layout.hpp"
#include "report/text.hpp"

namespace diag::report {
namespace {

using base::printable;
using host::Outcome;

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

bool stops(const CheckView* check) { return check != nullptr && (check->outcome == Outcome::fail || check->outcome == Outcome::not_run); }

// What the verdict below it is about: checkpoint, row and check.  The explanation ends its line.
std::string heading(const CheckpointView& checkpoint, const RowView& row, const CheckView& check, const TextStyle& style) {
    std::string about = checkpoint.id;
    for (const auto& part : {row.row, check.id})
        if (!part.empty()) about += std::string(dot(style)) + part;
    const Outcome outcome = *check.outcome;
    std::string text = wrapped("   ", about, style).substr(3);
    text.pop_back();
    return fmt::format("\n {} {}", painted(outcome, glyph(outcome, style), style), text);
}

// Rows other than the explained one that stopped too; their check where it is another.
std::string other_failures(const CheckpointView& checkpoint, const RowView* explained, const TextStyle& style) {
    std::string text;
    for (const auto& row : checkpoint.rows) {
        const CheckView* check = row.decisive();
        if (&row == explained || !stops(check)) continue;
        const std::string who = row.row + (check->id == explained->decisive()->id ? "" : ", " + check->id);
        text += wrapped("   also      ", fmt::format("{}: {} [{}]", who, check->text("reason"), check->text("cause")), style);
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
    if (!names.empty())
        text +=
            wrapped(view.state == "running" ? "   still to come: " : "   not reached: ", fmt::format("{}", fmt::join(names, ", ")), style);
    if (!left_out.empty()) text += wrapped("   left out by --only: ", fmt::format("{}", fmt::join(left_out, ", ")), style);
    return text.empty() ? "" : "\n" + text;
}

std::string names_with(const RunView& view, Outcome outcome) {
    std::string names;
    for (const auto& checkpoint : view.checkpoints)
        if (checkpoint.outcome == outcome) names += (names.empty() ? "" : ", ") + printable(checkpoint.id);
    return names;
}

// Where it failed, and apart from that where it could not tell; "" where neither is so.
std::string where_it_stopped(const RunView& view) {
    const std::string failed = names_with(view, Outcome::fail), unknown = names_with(view, Outcome::not_run);
    std::string text = failed.empty() ? "" : "failed at " + failed;
    if (!unknown.empty()) text += (failed.empty() ? "could not tell at " : "; could not tell at ") + unknown;
    return text;
}

// The checkpoint and check that it is at, or that an interruption cut off.
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

std::string running(const RunView& view) {
    return "running" + where_it_stood(view) + (view.process > 0 ? fmt::format(", by process {}", view.process) : ", by another process");
}

std::string paused(const RunView& view, const TextStyle& style) {
    std::string text = fmt::format("paused at {}: the owner has to move\n", printable(view.paused_at));
    for (const auto& step : view.owner_steps) text += wrapped("   - ", step, style);
    return text + (view.reboot ? "   - Reboot this machine.\n" : "");
}

std::string last_line(const RunView& view, const TextStyle& style) {
    const std::string skipped = view.skipped() == 0 ? "" : fmt::format("{}{} skipped", dot(style), counted(view.skipped(), "check"));
    if (view.state == "passed" && view.worst() == Outcome::skip) return "nothing was judged: everything was skipped" + skipped + "\n";
    if (view.state == "passed") {
        const bool warned = view.worst() == Outcome::warn;
        return painted(warned ? Outcome::warn : Outcome::pass, warned ? "passed with warnings" : "passed", style) + skipped + "\n";
    }
    if (view.state == "paused") return paused(view, style);
    const std::string stopped = where_it_stopped(view);
    if (view.state == "running") return running(view) + (stopped.empty() ? "" : "; " + stopped) + skipped + "\n";
    // The record of a single check holds no runbook to go on with.
    const bool resumes = !view.record.empty() && view.run.value("runbook", json::object()).contains("text");
    const std::string then = resumes ? "Then: diag resume\n" : "";
    if (view.state == "interrupted" || stopped.empty()) return view.state + where_it_stood(view) + skipped + "\n" + then;
    return painted(view.worst(), stopped, style) + fmt::format(" (exit {})", exit_code(view, FailOn::warn)) + skipped + "\n" + then;
}

}  // namespace

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
        text += heading(checkpoint, *decided, *decided->decisive(), style) + explanation(*decided->decisive(), view.machine, style);
        text += ends_text(view, checkpoint, style);
        text += other_failures(checkpoint, &*decided, style);
    }
    return text + not_reached(view, style) + "\n" + last_line(view, style);
}

}  // namespace diag::report
