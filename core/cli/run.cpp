// diag run: plan, record, execute, report.
#include <sys/utsname.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>

#include <fmt/format.h>

#include "base/build.hpp"
#include "base/nearest.hpp"
#include "base/sha256.hpp"
#include "base/utf8.hpp"
#include "cli/paths.hpp"
#include "cli/plan_text.hpp"
#include "cli/run_log.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "report/junit.hpp"
#include "runbook/expand.hpp"

namespace diag::cli {
namespace {

struct RunRequest {
    std::vector<std::string> set, only;
    bool plan_only = false;

    std::map<std::string, std::string> settings() const {
        std::map<std::string, std::string> result;
        for (const auto& pair : set) {
            const auto equals = pair.find('=');
            if (equals == std::string::npos || equals == 0) throw UsageError("--set takes KEY=VALUE, not '" + base::printable(pair) + "'");
            result[pair.substr(0, equals)] = pair.substr(equals + 1);
        }
        return result;
    }
};

std::size_t count_checks(const runbook::Plan& plan) {
    std::size_t count = 0;
    for (const auto& checkpoint : plan.checkpoints)
        for (const auto& row : checkpoint.rows) count += row.checks.size();
    return count;
}

void require_known(const std::vector<std::string>& only, const runbook::Plan& plan) {
    std::vector<std::string> ids;
    for (const auto& checkpoint : plan.checkpoints) ids.push_back(checkpoint.id);
    for (const auto& id : only)
        if (std::find(ids.begin(), ids.end(), id) == ids.end())
            throw UsageError(fmt::format("the runbook has no checkpoint '{}'{} (it has: {})", base::printable(id),
                                         base::did_you_mean(id, ids), fmt::join(ids, ", ")));
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

// The first event: what this run was, so that a resume and a reader years later know.
json run_event(const runbook::Runbook& runbook, const std::optional<runbook::Site>& site, const runbook::Plan& plan,
               const host::Catalogue& catalogue, const std::map<std::string, std::string>& settings) {
    utsname system{};
    ::uname(&system);
    json checkpoints = json::array();
    for (const auto& checkpoint : plan.checkpoints) checkpoints.push_back({{"id", checkpoint.id}, {"title", checkpoint.title}});
    json of_runbook = source(runbook.file, runbook.text);
    of_runbook["name"] = runbook.name;
    const auto& build = base::build();
    return {{"event", "run"},
            {"diag", {{"version", build.version}, {"commit", build.commit}, {"changes", build.changes}}},
            {"plugins", plugin_identities(catalogue)},
            {"runbook", of_runbook},
            {"site", site ? source(site->file, site->text) : json(nullptr)},
            {"settings", settings},
            {"title", plan.title},
            {"host", host_name()},
            {"kernel", system.release},
            {"arch", system.machine},
            {"machine", plan.machine},
            {"machines", plan.machines},
            {"links", plan.links},
            {"lab", in_lab(site)},
            {"checkpoints", checkpoints}};
}

int finish(const report::RunView& view, const std::string& folder, const Common& common, Signals& signals, const engine::Ending& ending) {
    if (common.format == "json") std::cout << report::document(view, common.fail_level()).dump(2) << "\n";
    if (common.format == "junit") std::cout << report::junit(view);
    if (common.format == "text") {
        std::cout << report::ending(view, common.style());
        if (view.state != "passed") std::cout << "   kept in " << folder << "\n";
    }
    std::cout.flush();
    if (ending.state == engine::State::interrupted) signals.die();
    return report::exit_code(view, common.fail_level());
}

int execute(const runbook::Plan& plan, Session& session, const Common& common, const json& first_event, const engine::Options& asked) {
    Signals signals;
    auto record = record::Record::create(common.state_dir(), plan.name, first_event);
    report::RunView view;
    report::apply(view, first_event);
    view.record = record.id();
    const bool text = common.format == "text";
    const auto print = [](const std::string& piece) { std::cout << piece << std::flush; };
    if (text) print(report::header(view, common.style()));
    ProgressLine progress(count_checks(plan), common.verbose);
    RunLog log(record, view, progress, common.style(), text ? print : std::function<void(const std::string&)>{});
    WorkerRunner runner(session, common, plan.machine, signals.fd(), [&](const std::string& line) { progress.tell(line); });
    engine::Options options = asked;
    options.interrupted = [&] { return signals.interrupted(); };
    const auto ending = engine::execute(plan, runner, log, options);
    if (ending.state == engine::State::interrupted) log.event({{"event", "interrupted"}, {"signal", signals.signal()}});
    progress.clear();
    return finish(view, record.folder().string(), common, signals, ending);
}

}  // namespace

int run_command(const Arguments& arguments) {
    CommandLine line(command_named("run"), Takes::site | Takes::state | Takes::plugins | Takes::output | Takes::report);
    RunRequest request;
    line.add_options()("set", po::value(&request.set)->value_name("KEY=VALUE"), "changes a setting of the runbook; may be repeated")(
        "only", po::value(&request.only)->value_name("ID"), "runs this checkpoint alone; may be repeated")(
        "plan", po::bool_switch(&request.plan_only), "prints what would run, row by row, and runs nothing");
    line.positional(1, 1);
    if (!line.parse(arguments)) return 0;
    const auto file = find_runbook(line.words[0]);
    require_trust(file);
    const auto runbook = runbook::read_runbook(file);
    const auto site = load_site(line.common);
    Session session = open_session(line.common);
    const auto settings = request.settings();
    const auto plan = runbook::make_plan({runbook, site ? &*site : nullptr, session.catalogue, this_machine(site, line.common), settings});
    require_known(request.only, plan);
    for (const auto& warning : plan.warnings) std::cerr << base::printable(warning) << "\n";
    if (request.plan_only) {
        print_plan(plan, session.catalogue, line.common);
        return 0;
    }
    engine::Options options;
    options.only = request.only;
    return execute(plan, session, line.common, run_event(runbook, site, plan, session.catalogue, settings), options);
}

}  // namespace diag::cli
