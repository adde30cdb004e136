// What `diag run` and `diag resume` share: what a run is, told to its record, and a plan executed into that record.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/runner.hpp"
#include "cli/signals.hpp"
#include "record/record.hpp"
#include "report/view.hpp"
#include "runbook/expand.hpp"

namespace diag::cli {

using json = nlohmann::json;

// Everything that decides what a run does.
struct RunSources {
    const runbook::Runbook& runbook;
    const std::optional<runbook::Site>& site;
    const runbook::Plan& plan;
    const host::Catalogue& catalogue;
    const std::map<std::string, std::string>& settings;  // as given with --set
    const std::vector<std::string>& only;
    const Common& common;
};

// The keys of the events `run` and `resume` (docs/record.md), but `event`: so that a resume and a reader years later know.
json identity(const RunSources& sources);

// Throws UsageError where the plan has no such checkpoint.
void require_known(const std::vector<std::string>& only, const runbook::Plan& plan);

struct Execution {
    const runbook::Plan& plan;
    WorkerRunner& runner;
    const Common& common;
    record::Record& record;
    report::RunView& view;  // what the record says so far
    Signals& signals;
    std::string labbook = {};  // a file; "": none
};

// Runs the plan, prints as it goes on, and returns the exit status; dies by the signal that interrupts it.
int execute(const Execution& execution, engine::Options options);

}  // namespace diag::cli
