// One run as its record tells it: the events of a journal, gathered into checkpoints, rows and checks.
// Every output form is made from this and from nothing else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/result.hpp"

namespace diag::report {

using json = nlohmann::json;

struct CheckView {
    std::string check, id, machine;
    std::optional<host::Outcome> outcome;  // nothing while it runs, or where the run ended in its middle
    json verdict = json::object();         // the journal's verdict event

    bool reused() const { return verdict.contains("reused"); }
    std::string text(const char* key) const;  // "" where the key is absent or null
};

struct RowView {
    std::string row;
    std::vector<CheckView> checks;
    std::optional<host::Outcome> outcome() const;
    // The check that decided: the first of the worst outcome.
    const CheckView* decisive() const;
    std::size_t skipped() const;
};

struct CheckpointView {
    std::string id, title;
    std::string time;  // UTC, when this attempt began; "" where the record does not say
    int attempt = 0;   // 0: not reached
    std::optional<host::Outcome> outcome;
    std::vector<RowView> rows;
    std::string no_rows;            // why there are none, where the plan says so
    double started = 0, ended = 0;  // boottime, seconds
    bool reached() const { return attempt != 0; }
    bool reused() const;  // every check of it is a pass of an earlier attempt
    bool stopped() const { return outcome == host::Outcome::fail || outcome == host::Outcome::not_run; }
};

// A column of the sheet, as the run's plugins declared it (host::Column), and the check that fills it.
struct SheetColumn {
    std::string check, title, from;
};

struct RunView {
    std::string record, runbook, title, machine, state = "running";
    std::string root;  // a captured tree that was read in place of /sys, /proc and /etc; "" : the machine itself
    std::size_t machines = 0, links = 0;
    bool lab = false;
    json run = json::object();                        // the journal's first event
    json site = nullptr;                              // {path, sha256, text} of the site file that counts now; null: there was none
    std::optional<std::vector<SheetColumn>> columns;  // nothing where the record was written before there was a sheet
    std::vector<std::string> changed;                 // what the last resume found changed
    int resumed = 0;                                  // how often
    std::vector<std::string> only;                    // --only: the checkpoints that were asked for; empty: all
    std::vector<CheckpointView> checkpoints;
    std::vector<std::string> owner_steps;  // of the pause, where it paused
    std::vector<json> snapshots;           // the journal's snapshot events: what the ends of the first failure looked like
    std::string paused_at;
    bool reboot = false;
    int signal = 0;   // of the interruption
    int process = 0;  // that runs it now; 0: unknown, or none (the journal does not say: whoever looks for its lock does)

    host::Outcome worst() const;
    std::size_t skipped() const;  // checks
};

// Takes one event of the journal.  Events of an unknown kind change nothing: a newer diag may write more.
void apply(RunView& view, const json& event);

enum class FailOn { warn, not_run, fail };  // the mildest outcome that makes the exit status non-zero

// DESIGN 8: 0, 1, 2 or 3; 75 where the run is paused.
int exit_code(const RunView& view, FailOn fail_on);
int exit_code(host::Outcome worst, FailOn fail_on);

// The document that --format json prints.
json document(const RunView& view, FailOn fail_on);

}  // namespace diag::report
