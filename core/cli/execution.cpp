#include "cli/execution.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <iostream>
#include <system_error>

#include <fmt/format.h>

#include "base/build.hpp"
#include "base/nearest.hpp"
#include "base/sha256.hpp"
#include "base/utf8.hpp"
#include "cli/labbook.hpp"
#include "cli/output.hpp"
#include "cli/run_log.hpp"
#include "cli/sheet.hpp"
#include "report/junit.hpp"

namespace diag::cli {
namespace {

// Those of `only`, or all.
std::vector<ProgressLine::Stage> stages(const runbook::Plan& plan, const std::vector<std::string>& only) {
    std::vector<ProgressLine::Stage> stages;
    for (const auto& checkpoint : plan.checkpoints) {
        if (!only.empty() && std::find(only.begin(), only.end(), checkpoint.id) == only.end()) continue;
        std::size_t checks = 0;
        for (const auto& row : checkpoint.rows) checks += row.checks.size();
        stages.push_back({checkpoint.id, checks});
    }
    return stages;
}

std::vector<std::string> checks_of(const runbook::Plan& plan) {
    std::vector<std::string> checks;
    for (const auto& checkpoint : plan.checkpoints)
        for (const auto& row : checkpoint.rows)
            for (const auto& check : row.checks) checks.push_back(check.check);
    return checks;
}

json sheet_columns(const RunSources& from) {
    json columns = json::array();
    for (const auto& column : columns_of(from.catalogue, checks_of(from.plan)))
        columns.push_back({{"check", column.check}, {"title", column.title}, {"from", column.from}});
    return columns;
}

json plugin_identities(const host::Catalogue& catalogue) {
    json plugins = json::array();
    for (const auto& plugin : catalogue.plugins)
        plugins.push_back({{"name", plugin.name}, {"file", plugin.file}, {"sha256", plugin.sha256}});
    return plugins;
}

json source(const std::string& path, const std::string& text) {
    return {{"path", std::filesystem::absolute(path).lexically_normal().string()}, {"sha256", base::sha256(text)}, {"text", text}};
}

std::string absolute(const std::string& path) { return path.empty() ? "" : std::filesystem::absolute(path).lexically_normal().string(); }

std::vector<std::string> folders(std::vector<std::string> paths) {
    for (auto& path : paths) path = absolute(path);
    return paths;
}

// False where a document could not be printed.  What is printed for a person is in the record too, and the verdict stands.
bool tell_the_end(const Execution& run) {
    if (run.common.format == "json") std::cout << report::document(run.view, run.common.fail_level()).dump(2) << "\n";
    if (run.common.format == "junit") std::cout << report::junit(run.view);
    if (run.common.format == "sheet" || run.common.format == "csv") print_sheet(run.view, run.common);
    if (run.common.format == "text") {
        std::cout << report::ending(run.view, run.common.style());
        if (run.view.state != "passed") std::cout << "   kept in " << run.record.folder().string() << "\n";
    }
    return output_arrived() || run.common.format == "text";
}

// A record that cannot be written stops the run; it is named, since `last` may lead to another one.
engine::Ending executed(const Execution& run, engine::Log& log, const engine::Options& options) {
    try {
        return engine::execute(run.plan, run.runner, log, options);
    } catch (const record::RecordError& e) {
        throw record::RecordError(fmt::format("{}\nwhen that is mended: diag resume {}", e.what(), run.record.folder().string()));
    }
}

// The verdicts are told by now: a notebook on a full disk takes none of them away.
bool note(const Execution& run) {
    try {
        write_labbook(run.labbook, run.view);
        return true;
    } catch (const std::system_error& e) {
        std::cerr << fmt::format("the notebook was not written: {}; the record has all that was measured\n", base::printable(e.what()));
        return false;
    }
}

}  // namespace

void require_known(const std::vector<std::string>& only, const runbook::Plan& plan) {
    std::vector<std::string> ids;
    for (const auto& checkpoint : plan.checkpoints) ids.push_back(checkpoint.id);
    for (const auto& id : only)
        if (std::find(ids.begin(), ids.end(), id) == ids.end())
            throw UsageError(fmt::format("the runbook has no checkpoint '{}'{} (it has: {})", base::printable(id),
                                         base::did_you_mean(id, ids), fmt::join(ids, ", ")));
}

json identity(const RunSources& from) {
    utsname system{};
    ::uname(&system);
    json checkpoints = json::array();
    for (const auto& checkpoint : from.plan.checkpoints) checkpoints.push_back({{"id", checkpoint.id}, {"title", checkpoint.title}});
    json of_runbook = source(from.runbook.file, from.runbook.text);
    of_runbook["name"] = from.runbook.name;
    const auto& build = base::build();
    return {{"diag", {{"version", build.version}, {"commit", build.commit}, {"changes", build.changes}}},
            {"plugins", plugin_identities(from.catalogue)},
            {"runbook", of_runbook},
            {"site", from.site ? source(from.site->file, from.site->text) : json(nullptr)},
            {"settings", from.settings},
            {"only", from.only},
            {"root", absolute(from.common.root)},
            {"plugin_folders", folders(from.common.plugins)},
            {"title", from.plan.title},
            {"host", host_name()},
            {"kernel", system.release},
            {"arch", system.machine},
            {"machine", from.plan.machine},
            {"machines", from.plan.machines},
            {"links", from.plan.links},
            {"lab", in_lab(from.site)},
            {"checkpoints", checkpoints},
            {"columns", sheet_columns(from)}};
}

int execute(const Execution& run, engine::Options options) {
    run.view.record = run.record.id();
    const bool text = run.common.format == "text";
    const auto print = [](const std::string& piece) { std::cout << piece << std::flush; };
    if (text) print(report::header(run.view, run.common.style()));
    ProgressLine progress(stages(run.plan, options.only), run.common.verbose);
    RunLog log(run.record, run.view, progress, run.common.style(), text ? print : std::function<void(const std::string&)>{});
    run.runner.tell([&](const std::string& line) { progress.tell(line); });
    options.interrupted = [&] { return run.signals.interrupted(); };
    const auto ending = executed(run, log, options);
    if (ending.state == engine::State::interrupted) log.event({{"event", "interrupted"}, {"signal", run.signals.signal()}});
    progress.clear();
    const bool told = tell_the_end(run);
    const bool noted = note(run);
    if (ending.state == engine::State::interrupted) run.signals.die();
    const int status = report::exit_code(run.view, run.common.fail_level());
    constexpr int failed = 2;
    return (told && noted) || status == failed ? status : exit_not_done;
}

}  // namespace diag::cli
