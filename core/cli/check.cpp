// diag check: one check, ad hoc; no record without --keep.
#include <iostream>
#include <map>

#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "cli/paths.hpp"
#include "cli/run_log.hpp"
#include "cli/runner.hpp"
#include "cli/signals.hpp"
#include "report/layout.hpp"
#include "runbook/expand.hpp"

namespace diag::cli {
namespace {

std::map<std::string, std::string> assignments(const std::vector<std::string>& words) {
    std::map<std::string, std::string> params;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const auto equals = words[i].find('=');
        if (equals == std::string::npos || equals == 0) throw UsageError("expected param=value, not '" + base::printable(words[i]) + "'");
        params[words[i].substr(0, equals)] = words[i].substr(equals + 1);
    }
    return params;
}

void require_machine(const std::string& key, const std::optional<runbook::Site>& site) {
    if (key.empty()) return;
    if (!site) throw UsageError("--on and --there name machines of a site file, and there is none (--site)");
    if (site->machine(key) == nullptr)
        throw UsageError("the site file has no machine '" + base::printable(key) + "'" + base::did_you_mean(key, site->machine_keys()));
}

// A plan of one row, so that an ad hoc check goes the way of every other.
runbook::Plan plan_of(const runbook::PlannedCheck& check, const std::string& machine) {
    runbook::Plan plan;
    plan.name = "check";
    plan.machine = machine;
    runbook::PlannedCheckpoint checkpoint;
    checkpoint.id = "check";
    checkpoint.rows = {{"", {check}}};
    plan.checkpoints = {checkpoint};
    return plan;
}

json first_event(const runbook::PlannedCheck& check, const std::string& machine, bool lab, const std::string& root) {
    return {{"event", "run"},
            {"machine", machine},
            {"lab", lab},
            {"root", root},
            {"runbook", {{"name", "check " + check.check}}},
            {"host", host_name()},
            {"checkpoints", json::array({{{"id", "check"}, {"title", ""}}})}};
}

// Events go to the view alone, or also into a record.
class AdHocLog : public engine::Log {
  public:
    AdHocLog(report::RunView& view, record::Record* record) : view_(view), record_(record) {}
    int next_attempt(const std::string&) override { return 1; }
    void event(json event) override { report::apply(view_, record_ != nullptr ? record_->append(event) : event); }
    json keep(const std::string& checkpoint, int attempt, const std::string& row, const std::string& check,
              const host::EvidenceText& evidence) override {
        if (record_ != nullptr) return record::to_json(record_->store({checkpoint, attempt, row, check}, evidence.name, evidence.text));
        return {{"name", evidence.name}, {"text", evidence.text}};
    }

  private:
    report::RunView& view_;
    record::Record* record_;
};

void print_text(const report::RunView& view, const Common& common) {
    const auto style = common.style();
    const auto& check = view.checkpoints.at(0).rows.at(0).checks.at(0);
    std::cout << report::painted(*check.outcome, report::glyph(*check.outcome, style), style) << " " << check.check << "  "
              << to_text(*check.outcome) << (view.lab ? "  LAB (not a real network)" : "")
              << (view.root.empty() ? "" : "  CAPTURED TREE " + base::printable(view.root)) << "\n";
    std::cout << report::explanation(check, view.machine, style);
    if (!common.verbose) return;
    for (const auto& m : check.verdict["measurements"]) std::cout << report::wrapped("   value     ", report::measurement_text(m), style);
    for (const auto& e : check.verdict["evidence"])
        std::cout << "\n--- " << base::printable(e.value("name", "")) << "\n" << report::printable_lines(e.value("text", ""));
}

}  // namespace

int check_command(const Arguments& arguments) {
    CommandLine line(command_named("check"), Takes::site | Takes::machine | Takes::state | Takes::plugins | Takes::root | Takes::judging);
    bool keep = false;
    std::string on, there;
    line.add_options()("keep", po::bool_switch(&keep), "keeps a record of it")("on", po::value(&on)->value_name("KEY"),
                                                                               "runs it on this machine of the site file, through ssh")(
        "there", po::value(&there)->value_name("KEY"), "the machine for the other half of a check that has two");
    line.positional(1, 64);
    if (!line.parse(arguments)) return 0;
    const auto params = assignments(line.words);
    const auto site = load_site(line.common);
    // Without a site file that knows this machine an ad hoc check is still a check.
    const bool must_know = !line.common.machine_name().empty() || !on.empty() || !there.empty();
    const std::string machine = site && must_know ? this_machine(site, line.common) : line.common.machine_name();
    for (const auto& key : {on, there}) require_machine(key, site);
    if (!there.empty() && there == (on.empty() ? machine : on))
        throw UsageError("--there " + base::printable(there) + ": that is where the first half runs");
    Session session = open_session(line.common);
    auto check = runbook::plan_check(session.catalogue, line.words[0], params, on.empty() ? machine : on);
    check.there = there;

    Signals signals;
    const json first = first_event(check, machine, in_lab(site), line.common.root);
    std::optional<record::Record> record;
    if (keep) record = record::Record::create(trusted_state(line.common.state_dir()), "check", first);
    report::RunView view;
    report::apply(view, first);
    if (record) view.record = record->id();
    ProgressLine progress({}, line.common.verbose);
    progress.begin("check", "", check.check);
    WorkerRunner runner(session, line.common, machine, site, signals.fd());
    runner.tell([&](const std::string& said) { progress.tell(said); });
    AdHocLog log(view, record ? &*record : nullptr);
    engine::Options options;
    options.keep_ends = keep;
    options.interrupted = [&] { return signals.interrupted(); };
    const auto ending = engine::execute(plan_of(check, machine), runner, log, options);
    progress.clear();
    if (ending.state == engine::State::interrupted) {
        log.event({{"event", "interrupted"}, {"signal", signals.signal()}});
        signals.die();
    }
    if (line.common.format == "json")
        std::cout << report::document(view, line.common.fail_level()).dump(2) << "\n";
    else
        print_text(view, line.common);
    return report::exit_code(view, line.common.fail_level());
}

}  // namespace diag::cli
