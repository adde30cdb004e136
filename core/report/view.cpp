#include "report/view.hpp"

#include <algorithm>

namespace diag::report {
namespace {

using host::Outcome;

// A string field of an event, or "" where it is absent, null or no string.
std::string text_of(const json& event, const char* key) {
    const auto it = event.find(key);
    return it != event.end() && it->is_string() ? it->get<std::string>() : "";
}

template <class Items, class Match>
auto& find_or_add(Items& items, Match match) {
    const auto it = std::find_if(items.begin(), items.end(), match);
    return it != items.end() ? *it : items.emplace_back();
}

CheckpointView& checkpoint_of(RunView& view, const json& event) {
    const std::string id = text_of(event, "checkpoint");
    auto& checkpoint = find_or_add(view.checkpoints, [&](const auto& c) { return c.id == id; });
    checkpoint.id = id;
    return checkpoint;
}

CheckView& check_of(RunView& view, const json& event) {
    const std::string row_label = text_of(event, "row");
    const std::string id = text_of(event, "id");
    auto& row = find_or_add(checkpoint_of(view, event).rows, [&](const auto& r) { return r.row == row_label; });
    row.row = row_label;
    auto& check = find_or_add(row.checks, [&](const auto& c) { return c.id == id; });
    check.id = id;
    check.check = text_of(event, "check");
    return check;
}

// What the plan is: of the run, and again of each resume, before which nothing counts that is not asked again.
void on_plan(RunView& view, const json& event) {
    view.runbook = text_of(event.value("runbook", json::object()), "name");
    view.title = text_of(event, "title");
    view.machine = text_of(event, "machine");
    view.machines = event.value("machines", 0U);
    view.links = event.value("links", 0U);
    view.lab = event.value("lab", false);
    view.root = text_of(event, "root");
    view.site = event.value("site", json());
    view.columns.reset();
    if (event.contains("columns")) view.columns.emplace();
    for (const auto& column : event.value("columns", json::array()))
        view.columns->push_back({text_of(column, "check"), text_of(column, "title"), text_of(column, "from")});
    view.only = event.value("only", std::vector<std::string>{});
    view.checkpoints.clear();
    for (const auto& planned : event.value("checkpoints", json::array())) {
        auto& checkpoint = view.checkpoints.emplace_back();
        checkpoint.id = text_of(planned, "id");
        checkpoint.title = text_of(planned, "title");
    }
}

void on_resume(RunView& view, const json& event) {
    on_plan(view, event);
    ++view.resumed;
    view.changed = event.value("changed", std::vector<std::string>{});
    view.state = "running";
    view.paused_at.clear();
    view.owner_steps.clear();
}

// A new attempt replaces what an earlier one showed; the record keeps both.
void on_checkpoint(RunView& view, const json& event) {
    auto& checkpoint = checkpoint_of(view, event);
    checkpoint.attempt = event.value("attempt", 1);
    checkpoint.outcome.reset();
    checkpoint.rows.clear();
    checkpoint.no_rows = text_of(event, "no_rows");
    checkpoint.started = event.value("boottime", 0.0);
    checkpoint.time = text_of(event, "time");
    view.state = "running";
}

void on_checkpoint_end(RunView& view, const json& event) {
    auto& checkpoint = checkpoint_of(view, event);
    checkpoint.outcome = host::outcome_from(text_of(event, "outcome"));
    checkpoint.ended = event.value("boottime", 0.0);
}

void on_verdict(RunView& view, const json& event) {
    auto& check = check_of(view, event);
    check.outcome = host::outcome_from(text_of(event, "outcome"));
    check.verdict = event;
}

void on_pause(RunView& view, const json& event) {
    view.paused_at = text_of(event, "checkpoint");
    view.reboot = event.value("reboot", false);
    for (const auto& step : event.value("owner", json::array())) view.owner_steps.push_back(step.get<std::string>());
}

json check_document(const CheckView& check) {
    json doc = {{"check", check.check}, {"id", check.id}, {"outcome", check.outcome ? json(to_text(*check.outcome)) : json(nullptr)}};
    for (const char* key : {"cause", "meaning", "mover", "reason", "next", "asked", "saw", "params", "seconds", "measurements", "evidence",
                            "notes", "reused", "changed"})
        doc[key] = check.verdict.value(key, json(nullptr));
    return doc;
}

}  // namespace

bool CheckpointView::reused() const {
    bool any = false;
    for (const auto& row : rows)
        for (const auto& check : row.checks) {
            if (!check.reused()) return false;
            any = true;
        }
    return any;
}

std::string CheckView::text(const char* key) const { return text_of(verdict, key); }

std::optional<Outcome> RowView::outcome() const {
    const auto* check = decisive();
    return check != nullptr ? check->outcome : std::nullopt;
}

const CheckView* RowView::decisive() const {
    const CheckView* worst = nullptr;
    for (const auto& check : checks)
        if (check.outcome && (worst == nullptr || host::worse(*worst->outcome, *check.outcome) != *worst->outcome)) worst = &check;
    return worst;
}

std::size_t RowView::skipped() const {
    return static_cast<std::size_t>(std::count_if(checks.begin(), checks.end(), [](const auto& c) { return c.outcome == Outcome::skip; }));
}

Outcome RunView::worst() const {
    std::optional<Outcome> worst;
    for (const auto& checkpoint : checkpoints)
        if (checkpoint.outcome) worst = worst ? host::worse(*worst, *checkpoint.outcome) : *checkpoint.outcome;
    return worst.value_or(Outcome::skip);
}

std::size_t RunView::skipped() const {
    std::size_t count = 0;
    for (const auto& checkpoint : checkpoints)
        for (const auto& row : checkpoint.rows) count += row.skipped();
    return count;
}

void apply(RunView& view, const json& event) {
    const std::string kind = text_of(event, "event");
    if (kind == "run") on_plan(view, view.run = event);
    if (kind == "resume") on_resume(view, event);
    if (kind == "checkpoint") on_checkpoint(view, event);
    if (kind == "check") check_of(view, event).machine = text_of(event, "machine");
    if (kind == "verdict") on_verdict(view, event);
    if (kind == "snapshot") view.snapshots.push_back(event);
    if (kind == "checkpoint-end") on_checkpoint_end(view, event);
    if (kind == "pause") on_pause(view, event);
    if (kind == "run-end") view.state = text_of(event, "state");
    if (kind == "interrupted") {
        view.state = "interrupted";
        view.signal = event.value("signal", 0);
    }
}

int exit_code(Outcome worst, FailOn fail_on) {
    switch (worst) {
        case Outcome::fail:
            return 2;
        case Outcome::not_run:
            return fail_on == FailOn::fail ? 0 : 3;
        case Outcome::warn:
            return fail_on == FailOn::warn ? 1 : 0;
        case Outcome::pass:
        case Outcome::skip:
            break;
    }
    return 0;
}

int exit_code(const RunView& view, FailOn fail_on) {
    if (view.state == "paused" && exit_code(view.worst(), fail_on) == 0) return 75;
    if (view.state == "interrupted" || view.state == "running")
        return exit_code(host::worse(view.worst(), Outcome::not_run), FailOn::not_run);
    return exit_code(view.worst(), fail_on);
}

json document(const RunView& view, FailOn fail_on) {
    json doc = {{"record", view.record.empty() ? json(nullptr) : json(view.record)},
                {"runbook", view.runbook.empty() ? json(nullptr) : json(view.runbook)},
                {"machine", view.machine.empty() ? json(nullptr) : json(view.machine)},
                {"lab", view.lab},
                {"root", view.root.empty() ? json(nullptr) : json(view.root)},
                {"state", view.state},
                {"exit", exit_code(view, fail_on)},
                {"resumed", view.resumed},
                {"changed", view.changed},
                {"skipped", view.skipped()},
                {"snapshots", json::array()},
                {"checkpoints", json::array()}};
    for (const auto& snapshot : view.snapshots) {
        json& told = doc["snapshots"].emplace_back();
        for (const char* key :
             {"checkpoint", "attempt", "row", "machine", "plugin", "outcome", "cause", "reason", "seconds", "evidence", "notes"})
            told[key] = snapshot.value(key, json());
    }
    for (const auto& checkpoint : view.checkpoints) {
        json rows = json::array();
        for (const auto& row : checkpoint.rows) {
            json checks = json::array();
            for (const auto& check : row.checks) checks.push_back(check_document(check));
            rows.push_back(
                {{"row", row.row}, {"outcome", row.outcome() ? json(to_text(*row.outcome())) : json(nullptr)}, {"checks", checks}});
        }
        doc["checkpoints"].push_back({{"id", checkpoint.id},
                                      {"title", checkpoint.title},
                                      {"outcome", checkpoint.outcome ? json(to_text(*checkpoint.outcome)) : json(nullptr)},
                                      {"reached", checkpoint.reached()},
                                      {"attempt", checkpoint.attempt},
                                      {"reused", checkpoint.reused()},
                                      {"rows", rows}});
    }
    return doc;
}

}  // namespace diag::report
