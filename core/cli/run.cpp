// diag run: plan, record, execute, report.
#include <algorithm>
#include <iostream>
#include <map>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "cli/execution.hpp"
#include "cli/labbook.hpp"
#include "cli/paths.hpp"
#include "cli/plan_text.hpp"
#include "runbook/expand.hpp"

namespace diag::cli {
namespace {

struct RunRequest {
    std::vector<std::string> set, only;
    bool plan_only = false;
    std::string labbook;

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

}  // namespace

int run_command(const Arguments& arguments) {
    CommandLine line(command_named("run"),
                     Takes::site | Takes::machine | Takes::state | Takes::plugins | Takes::root | Takes::judging | Takes::report);
    RunRequest request;
    line.add_options()("set", po::value(&request.set)->value_name("KEY=VALUE"), "changes a setting of the runbook; may be repeated")(
        "only", po::value(&request.only)->value_name("ID"), "runs this checkpoint alone; may be repeated")(
        "labbook", po::value(&request.labbook)->value_name("FILE"), "appends what was measured to this notebook, as JSON lines")(
        "plan", po::bool_switch(&request.plan_only), "prints what would run, row by row, and runs nothing");
    line.positional(1, 1);
    if (!line.parse(arguments)) return 0;
    const auto file = trusted(find_runbook(line.words[0]));
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
    const auto state = trusted_state(line.common.state_dir());
    require_labbook(request.labbook);
    json first = identity({runbook, site, plan, session.catalogue, settings, request.only, line.common});
    first["event"] = "run";
    Signals signals;
    auto record = record::Record::create(state, plan.name, first);
    report::RunView view;
    report::apply(view, first);
    engine::Options options;
    options.only = request.only;
    WorkerRunner runner(session, line.common, plan.machine, site, signals.fd());
    return execute({plan, runner, line.common, record, view, signals, request.labbook}, options);
}

}  // namespace diag::cli
