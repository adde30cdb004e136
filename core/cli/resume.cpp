// diag resume: goes on with a record.  Everything is asked again, live, but costly passes whose facts are as they were.
#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "cli/execution.hpp"
#include "cli/labbook.hpp"
#include "cli/paths.hpp"
#include "cli/resumption.hpp"
#include "cli/reuse.hpp"
#include "cli/show.hpp"
#include "record/records.hpp"
#include "record/verify.hpp"

namespace diag::cli {
namespace {

// DESIGN 11.1: nothing goes on from what cannot be believed.  A torn end is cut when the record is opened.
void require_intact(const std::filesystem::path& folder) {
    for (const auto& finding : record::verify_record(folder).findings)
        if (finding.damage() && finding.problem != record::Problem::journal_torn)
            throw record::RecordError(fmt::format("{} cannot be resumed: {}.  diag verify says more; start a new run instead",
                                                  folder.filename().string(), finding.text));
}

// DESIGN 11.3: a failed checkpoint stays failed until a new attempt of all its rows passes; one that cannot be attempted any more stays so.
void require_attempts(const record::Earlier& earlier, const runbook::Plan& plan) {
    for (const auto& [id, rows] : earlier.failed()) {
        const auto planned = std::ranges::find(plan.checkpoints, id, &runbook::PlannedCheckpoint::id);
        std::string gone = planned == plan.checkpoints.end() ? fmt::format("checkpoint '{}'", id) : "";
        if (planned != plan.checkpoints.end())
            for (const auto& row : rows)
                if (std::ranges::find(planned->rows, row, &runbook::PlannedRow::label) == planned->rows.end())
                    gone = fmt::format("row '{}' of checkpoint '{}'", row, id);
        if (!gone.empty())
            throw UsageError(
                fmt::format("{} failed in this record, and the runbook and site file as they are now have no such one; "
                            "put it back, or begin anew with diag run",
                            base::printable(gone)));
    }
}

}  // namespace

int resume_command(const Arguments& arguments) {
    CommandLine line(command_named("resume"),
                     Takes::site | Takes::machine | Takes::state | Takes::plugins | Takes::root | Takes::judging | Takes::report);
    std::string labbook;
    line.add_options()("labbook", po::value(&labbook)->value_name("FILE"), "appends what was measured to this notebook, as JSON lines");
    line.positional(0, 1);
    if (!line.parse(arguments)) return 0;
    const auto found = record::find_record(line.common.state_dir(), line.words.empty() ? "" : line.words[0]);
    const auto folder = trusted_record(found);  // it names programs, and holds the text of the runbook
    require_labbook(labbook);
    require_intact(folder);
    const auto known = record::read_journal(folder / "journal.jsonl").lines;
    report::RunView view = view_of(folder, known);
    if (view.state == "passed") {
        std::cerr << "nothing is left to resume: this run has passed; diag run starts a new one\n";
        print_run(view, folder, line.common);
        return report::exit_code(view, line.common.fail_level());
    }
    take_up(known, line.common);
    Resumption resumption(known, line.common);
    Session session = open_session(line.common);
    const auto plan = resumption.plan(session.catalogue);
    for (const auto& warning : plan.warnings) std::cerr << base::printable(warning) << "\n";
    require_known(resumption.only(), plan);
    const record::Earlier earlier(known);
    require_attempts(earlier, plan);
    const json event = resumption.event(plan, session.catalogue, line.common);

    Signals signals;
    auto record = record::Record::open(folder);
    if (record.opened_lines().size() != known.size())
        throw record::RecordError("another process has gone on with this record meanwhile; look at it with diag show");
    if (const auto& torn = record.torn())
        std::cerr << fmt::format("the journal's torn end, {} bytes, is kept in {}\n", torn->bytes, torn->file);
    report::apply(view, record.append(event));
    WorkerRunner runner(session, line.common, plan.machine, resumption.site(), signals.fd());
    RecordReuse reuse(earlier, session, runner);
    engine::Options options;
    options.only = resumption.only();
    options.reuse = &reuse;
    return execute({plan, runner, line.common, record, view, signals, labbook}, options);
}

}  // namespace diag::cli
