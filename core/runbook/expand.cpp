#include "runbook/expand.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/nearest.hpp"
#include "runbook/expression.hpp"
#include "runbook/fields.hpp"
#include "runbook/params.hpp"
#include "runbook/planner.hpp"
#include "runbook/port_rows.hpp"
#include "runbook/rounds.hpp"
#include "runbook/rows.hpp"
#include "runbook/scope.hpp"

namespace diag::runbook {
namespace {

Mark named_mark(const std::string& name) { return {std::make_shared<const std::string>(name)}; }

Node scalar(const std::string& text, const Mark& mark) { return {Node::Kind::scalar, text, true, mark, {}, {}}; }

Node comma_list(const std::string& text, const Mark& mark) {
    Node list{Node::Kind::list, "", false, mark, {}, {}};
    for (std::size_t start = 0; start <= text.size() && !text.empty();) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        list.list.push_back(scalar(text.substr(start, end - start), mark));
        start = end + 1;
    }
    return list;
}

// The runbook's settings with --set over them.
Node settings_of(const PlanRequest& request, Findings& findings) {
    Node settings = request.runbook.settings;
    for (const auto& [name, text] : request.settings) {
        const Mark mark = named_mark("--set " + name);
        const auto entry =
            std::find_if(settings.map.begin(), settings.map.end(), [&key = name](const auto& e) { return e.key.text == key; });
        if (entry != settings.map.end()) {
            entry->value = entry->value.is_list() ? comma_list(text, mark) : scalar(text, mark);
            continue;
        }
        const auto names = settings.keys();
        const std::string near = base::did_you_mean(name, names);
        findings.error(mark,
                       "the runbook has no setting '" + name + "'" + (near.empty() && !names.empty() ? "; it has " + listed(names) : near));
    }
    return settings;
}

// Its rows are the same from every machine, and load what they measure.
bool has_rounds(const Checkpoint& checkpoint) { return checkpoint.mesh || checkpoint.each == "direction" || checkpoint.each == "port"; }

void refuse_unknown_check(const host::Catalogue& catalogue, const Item& item, Findings& findings) {
    const std::string plugin = item.name.substr(0, item.name.find('.'));
    const host::PluginInfo* known = catalogue.plugin_of(item.name);
    std::vector<std::string> names = catalogue.check_names();
    std::string text =
        known == nullptr ? "no plugin '" + plugin + "' is loaded" : "plugin '" + plugin + "' has no check '" + item.name + "'";
    const std::string near = base::did_you_mean(item.name, names);
    std::erase_if(names, [&](const std::string& name) { return name.substr(0, name.find('.')) != plugin; });
    if (near.empty() && !names.empty()) text += "; it has " + listed(names);
    for (const auto& refusal : catalogue.refusals)
        if (known == nullptr && refusal.file.ends_with("/" + plugin + ".so"))
            text += "; " + refusal.file + " was refused: " + refusal.reason;
    findings.error(item.mark, text + near);
}

class Planner {
  public:
    Planner(const PlanRequest& request, bool site_is_unknown, Findings& findings) : request_(request), findings_(findings) {
        scope_.site = request.site;
        scope_.site_is_unknown = site_is_unknown;
        scope_.settings = settings_of(request, findings);
        scope_.settings_are_known = request.runbook.settings_known;
        for (const auto& path : references(request.runbook)) used_.insert(path.begin(), path.end());
    }

    PlannedCheckpoint plan(const Checkpoint& checkpoint) {
        PlannedCheckpoint planned{
            checkpoint.id, checkpoint.title.empty() ? checkpoint.id : checkpoint.title, {}, checkpoint.reboot, {}, {}};
        for (const auto& action : checkpoint.actions) findings_.error(action.mark, "this build knows no action '" + action.name + "'");
        scope_.each = checkpoint.each;
        const auto rows = rows_of(checkpoint);
        std::set<std::string> owner_steps;
        for (const auto& row : rows) {
            scope_.row = row;
            plan_owner(checkpoint, planned, owner_steps);
            planned.rows.push_back(plan_row(checkpoint));
        }
        if (rows.empty() && checkpoint.each == "port") planned.no_rows = no_ports;
        if (has_rounds(checkpoint) && request_.site != nullptr) give_rounds(planned.rows, rows, *request_.site);
        return planned;
    }

  private:
    std::vector<Row> rows_of(const Checkpoint& checkpoint) {
        if (scope_.site_is_unknown && !checkpoint.each.empty()) {
            scope_.each = each_without_site(checkpoint, findings_);
            return {Row{}};
        }
        return rows(checkpoint, request_.site, request_.machine, findings_);
    }

    PlannedRow plan_row(const Checkpoint& checkpoint) {
        PlannedRow row{.label = scope_.row.label, .side_by_side = !checkpoint.checks.empty()};
        std::map<std::string, int> seen;
        for (const auto& item : checkpoint.checks) {
            PlannedCheck check = plan_check(item);
            const host::CheckInfo* info = request_.catalogue.check(item.name);
            row.side_by_side = row.side_by_side && info != nullptr && info->side_by_side && !info->exclusive;
            const int count = ++seen[check.id];
            if (count > 1) check.id += "-" + std::to_string(count);
            row.checks.push_back(std::move(check));
        }
        return row;
    }

    PlannedCheck plan_check(const Item& item) {
        PlannedCheck planned;
        planned.check = item.name;
        planned.id = item.id.empty() ? item.name : item.id;
        planned.machine = machine_of(item);
        planned.there = there_of(planned.machine);
        planned.timeout = item.timeout.value_or(request_.runbook.timeout);
        const host::CheckInfo* info = request_.catalogue.check(item.name);
        if (info == nullptr) {
            refuse_unknown_check(request_.catalogue, item, findings_);
        } else {
            fill_params(*info, item, scope_, used_, planned, findings_);
        }
        return planned;
    }

    // One text that must have a value; "" with a finding where it has none.
    std::string text_of(const Node& node, const std::string& what) {
        try {
            const Resolved resolved = scope_.expand(node);
            if (resolved.state == Resolved::State::absent)
                findings_.error(node.mark, what + ": " + resolved.missing + " (" + to_text(resolved.at) + ")");
            else if (resolved.state == Resolved::State::value && !resolved.node.is_scalar())
                findings_.error(node.mark, what + " must be one value, not " + resolved.node.shown());
            return resolved.node.text;
        } catch (const RunbookError& e) {
            findings_.add_all(e);
            return "";
        }
    }

    std::string machine_of(const Item& item) {
        if (!item.on) return scope_.row.machine == nullptr ? request_.machine : scope_.row.machine->key;
        std::string key = text_of(*item.on, "'on'");
        if (key.empty() || scope_.site_is_unknown) return key;
        if (request_.site == nullptr)
            findings_.error(item.on->mark, "'on: " + key + "' needs a site file (--site)");
        else if (request_.site->machine(key) == nullptr)
            findings_.error(item.on->mark,
                            "'on': the site file has no machine '" + key + "'" + base::did_you_mean(key, request_.site->machine_keys()));
        return key;
    }

    // Seen from `machine`: a check that `on` sends to the far end has this row's near end opposite.
    std::string there_of(const std::string& machine) const {
        const Row& row = scope_.row;
        if (row.peer == nullptr || row.machine == nullptr) return "";
        return machine == row.peer->key ? row.machine->key : row.peer->key;
    }

    // Steps that name a row's facts come once for each row, equal ones once: `seen`.
    void plan_owner(const Checkpoint& checkpoint, PlannedCheckpoint& planned, std::set<std::string>& seen) {
        for (const auto& step : checkpoint.owner) {
            const std::string text = text_of(step, "an owner step");
            if (seen.insert(text).second) planned.owner.push_back(text);
        }
    }

    const PlanRequest& request_;
    Findings& findings_;
    Scope scope_;
    std::set<std::string> used_;
};

}  // namespace

Plan plan_with(const PlanRequest& request, bool site_is_unknown, Findings& findings, bool again) {
    const Runbook& runbook = request.runbook;
    Plan plan;
    plan.name = runbook.name;
    plan.title = runbook.title;
    plan.about = runbook.about;
    plan.machine = request.machine;
    plan.continue_on_failure = runbook.continue_on_failure;
    if (request.site != nullptr) {
        plan.machines = request.site->machines.size();
        plan.links = request.site->links.size();
        if (request.site->machine(request.machine) == nullptr)
            throw RunbookError(named_mark(request.site->file), "no machine '" + request.machine + "'");
    }
    Planner planner(request, site_is_unknown, findings);
    for (const auto& checkpoint : runbook.checkpoints) {
        if (!checkpoint.sound) continue;  // lint, of a draft
        if (!again || (!has_rounds(checkpoint) && checkpoint.each != "machine")) plan.checkpoints.push_back(planner.plan(checkpoint));
    }
    return plan;
}

Plan make_plan(const PlanRequest& request) {
    Findings findings;
    Plan plan = plan_with(request, false, findings);
    findings.throw_if_failed();
    for (const auto& finding : findings.all()) plan.warnings.push_back(finding.line());
    return plan;
}

PlannedCheck plan_check(const host::Catalogue& catalogue, const std::string& check, const std::map<std::string, std::string>& params,
                        const std::string& machine) {
    Findings findings;
    PlannedCheck planned;
    planned.check = planned.id = check;
    planned.machine = machine;
    Item item;
    item.name = check;
    item.params.kind = Node::Kind::map;
    const host::CheckInfo* info = catalogue.check(check);
    if (info == nullptr) refuse_unknown_check(catalogue, item, findings);
    findings.throw_if_failed();
    for (const auto& [name, text] : params) {
        std::string literal;  // a command line has no references: its dollars are dollars
        for (const char c : text) literal += c == '$' ? "$$" : std::string(1, c);
        const host::Param* param = info->param(name);  // NOLINT(clang-analyzer-core.CallAndMessage): it is known, else it has thrown
        const bool list = param != nullptr && param->type == ParamType::list;
        item.params.map.push_back({scalar(name, {}), list ? comma_list(literal, {}) : scalar(literal, {})});
    }
    fill_params(*info, item, Scope{}, {}, planned, findings);  // NOLINT(clang-analyzer-core.NonNullParamChecker): as above
    findings.throw_if_failed();
    return planned;
}

}  // namespace diag::runbook
