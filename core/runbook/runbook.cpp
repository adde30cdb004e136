#include "runbook/runbook.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/nearest.hpp"
#include "diag/types.hpp"
#include "runbook/fields.hpp"
#include "runbook/rows.hpp"

namespace diag::runbook {
namespace {

const std::vector<std::string> beside = {"id", "on", "timeout"};

bool is_id(const std::string& text) {
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    return !text.empty() && text.size() <= 64 && text.front() != '-' && std::all_of(text.begin(), text.end(), fits);
}

bool is_dotted(const std::string& key) { return key.find('.') != std::string::npos; }

void read_id(Fields& fields, std::string& id) {
    id = fields.text("id");
    if (!id.empty() && !is_id(id))
        fields.findings().error(fields.node().find("id")->mark,
                                "'" + id + "' cannot be an id (a-z, 0-9 and '-', at most 64, not '-' first)");
}

// Keys that are neither the check's name nor allowed beside it: most often parameters that are not indented far enough.
void refuse_beside(const Node& node, const Item& item, const std::vector<std::string>& allowed, Findings& findings) {
    for (const auto& [key, value] : node.map) {
        if (is_dotted(key.text) || std::find(allowed.begin(), allowed.end(), key.text) != allowed.end()) continue;
        const std::string near = base::did_you_mean(key.text, allowed);
        findings.error(key.mark, "'" + key.text + "' cannot stand beside a check's name" + near +
                                     (near.empty() ? "; parameters go below '" + item.name + ":', further in" : ""));
    }
}

Item read_item(const Node& node, bool action, Findings& findings) {
    const std::string what = action ? "an action" : "a check", shape = "write '- plugin.name: {parameter: value}'";
    Item item;
    item.mark = node.mark;
    if (!node.is_map()) {
        findings.error(node.mark, what + " must be a map, not " + node.shown() + "; " + shape);
        return item;
    }
    for (const auto& [key, value] : node.map) {
        if (!is_dotted(key.text)) continue;
        if (!item.name.empty())
            findings.error(key.mark, "'" + key.text + "' beside '" + item.name + "': each goes into an item of its own ('- ')");
        if (!item.name.empty()) continue;
        item.name = key.text;
        item.mark = key.mark;
        item.params = value;
        if (!value.is_map() && !value.is_null())
            findings.error(value.mark, "'" + key.text + "' must have a map of parameters, not " + value.shown());
    }
    if (item.name.empty())
        findings.error(node.mark, what + " needs its dotted name; " + shape);
    else
        refuse_beside(node, item, action ? std::vector<std::string>{} : beside, findings);
    if (action) return item;
    Fields fields(node, what, findings);
    read_id(fields, item.id);
    item.timeout = fields.seconds("timeout");
    if (const Node* on = fields.get("on"); on != nullptr) item.on = *on;
    return item;
}

std::vector<Item> read_items(Fields& fields, const char* key, bool action) {
    std::vector<Item> items;
    const Node* node = fields.get(key);
    if (node == nullptr) return items;
    if (!node->is_list()) fields.findings().error(node->mark, "'" + std::string(key) + "' must be a list (- ...), not " + node->shown());
    for (const auto& entry : node->list) items.push_back(read_item(entry, action, fields.findings()));
    return items;
}

void refuse_equal_ids(const std::vector<Item>& checks, Findings& findings) {
    std::set<std::string> seen;
    for (const auto& check : checks)
        if (!check.id.empty() && !seen.insert(check.id).second)
            findings.error(check.mark, "two checks of this checkpoint have the id '" + check.id + "'");
}

std::vector<Node> read_owner(Fields& fields) {
    const Node* node = fields.get("owner");
    if (node == nullptr) return {};
    if (!node->is_list()) fields.findings().error(node->mark, "'owner' must be a list of steps (- ...), not " + node->shown());
    for (const auto& step : node->list)
        if (!step.is_scalar())
            fields.findings().error(step.mark, "an owner step must be one text, not " + step.shown() + "; quote it where it has a ': '");
    return node->list;
}

void read_pairs(Fields& fields, const std::string& each, Checkpoint& checkpoint) {
    const std::string text = fields.text("pairs");
    if (text.empty()) return;
    checkpoint.pairs_mark = fields.node().find("pairs")->mark;
    try {
        checkpoint.pairs = parse_pairs(text);
    } catch (const BadValue& e) {
        fields.findings().error(checkpoint.pairs_mark, std::string("'pairs': ") + e.what());
    }
    if (each != "link" && each != "direction" && each != "port")
        fields.findings().error(checkpoint.pairs_mark,
                                "'pairs' chooses among the rows of 'each: link', 'each: direction' and 'each: port'; none of them is here");
}

bool read_mesh(Fields& fields, const std::string& each) {
    const bool mesh = fields.boolean("mesh");
    if (mesh && each != "peer")
        fields.findings().error(
            fields.node().find("mesh")->mark,
            "'mesh' asks every peer from every machine; it stands beside 'each: peer'" +
                std::string(each == "link" || each == "direction" || each == "port" ? "; for pairs of ends write 'pairs: mesh'" : ""));
    return mesh;
}

Checkpoint read_checkpoint(const Node& node, Findings& all) {
    Checkpoint checkpoint;
    checkpoint.mark = node.mark;
    Findings findings;
    Fields fields(node, "a checkpoint", findings);
    if (fields.expect("id", "a short name, unique in the runbook").is_null()) checkpoint.id.clear();
    read_id(fields, checkpoint.id);
    checkpoint.title = fields.text("title");
    checkpoint.each = fields.text("each");
    checkpoint.where = fields.text("where");
    if (const Node* each = node.find("each"); each != nullptr) checkpoint.each_mark = each->mark;
    if (const Node* where = node.find("where"); where != nullptr) checkpoint.where_mark = where->mark;
    // A misspelt kind is told where rows are made: what stands beside it may well be right.
    const std::string each = kind_meant(checkpoint.each).value_or(checkpoint.each);
    checkpoint.mesh = read_mesh(fields, each);
    read_pairs(fields, each, checkpoint);
    checkpoint.owner = read_owner(fields);
    checkpoint.reboot = fields.boolean("reboot");
    checkpoint.actions = read_items(fields, "actions", true);
    checkpoint.checks = read_items(fields, "checks", false);
    fields.refuse_others();
    refuse_equal_ids(checkpoint.checks, findings);
    if (!findings.failed() && checkpoint.checks.empty() && checkpoint.owner.empty() && checkpoint.actions.empty() && !checkpoint.reboot)
        findings.error(node.mark,
                       "a checkpoint needs 'checks', 'actions', 'owner' or 'reboot': without them it would hold whatever is wrong");
    checkpoint.sound = !findings.failed();
    for (const auto& finding : findings.all()) all.add(finding);
    return checkpoint;
}

// Keeps those that are as they must be; false where one is not, so that a setting that is missed may be there.
bool read_settings(Fields& fields, Runbook& runbook) {
    const Node* settings = fields.get("settings");
    if (settings == nullptr) return fields.node().find("settings") == nullptr;
    runbook.settings = *settings;
    Findings findings;
    const Fields map(*settings, "'settings'", findings);
    for (const auto& [key, value] : settings->map) {
        if (!is_name(key.text)) findings.error(key.mark, "'" + key.text + "' cannot be the name of a setting");
        if (value.is_map())  // one without a value leaves the parameter to its default, until --set gives one
            findings.error(value.mark, "the setting '" + key.text + "' must be a value or a list, not " + value.shown());
    }
    std::erase_if(runbook.settings.map, [](const auto& entry) { return entry.value.is_map(); });
    for (const auto& finding : findings.all()) fields.findings().add(finding);
    return !findings.failed();
}

void read_on_failure(Fields& fields, Runbook& runbook) {
    const std::string word = fields.text("on_failure");
    runbook.continue_on_failure = word == "continue";
    if (!word.empty() && word != "continue" && word != "stop")
        fields.findings().error(fields.node().find("on_failure")->mark,
                                "'on_failure' is stop or continue, not '" + word + "'" + base::did_you_mean(word, {"stop", "continue"}));
}

void read_checkpoints(Fields& fields, Runbook& runbook) {
    const Node& checkpoints = fields.expect("checkpoints", "the list of stages, in order");
    if (!checkpoints.is_null() && (!checkpoints.is_list() || checkpoints.list.empty()))
        fields.findings().error(checkpoints.mark, "'checkpoints' must be a list (- id: ...) with at least one entry");
    std::set<std::string> seen;
    for (const auto& node : checkpoints.list) {
        runbook.checkpoints.push_back(read_checkpoint(node, fields.findings()));
        const Checkpoint& checkpoint = runbook.checkpoints.back();
        if (!checkpoint.id.empty() && !seen.insert(checkpoint.id).second)
            fields.findings().error(node.find("id")->mark, "two checkpoints have the id '" + checkpoint.id + "'");
    }
}

void read_root(const Node& root, Runbook& runbook, Findings& findings) {
    Fields fields(root, "a runbook", findings);
    const Node& name = fields.expect("runbook", "its name, which also names its records");
    runbook.name = name.text;
    if (!name.is_null() && !is_id(name.text))
        findings.error(name.mark, name.shown() + " cannot be the name of a runbook (a-z, 0-9 and '-')");
    runbook.title = fields.text("title");
    runbook.about = fields.text("about");
    runbook.settings_known = read_settings(fields, runbook);
    runbook.timeout = fields.seconds("timeout").value_or(runbook.timeout);
    read_on_failure(fields, runbook);
    read_checkpoints(fields, runbook);
    fields.refuse_others();
    if (fields.misspelt("settings")) runbook.settings_known = false;
}

// `faults` become an error.
Runbook whole(Runbook draft) {
    if (!draft.faults.empty()) throw RunbookError(std::move(draft.faults));
    return draft;
}

}  // namespace

Runbook draft_runbook(const std::string& text, const std::string& file) {
    Runbook runbook;
    runbook.file = file;
    runbook.text = text;
    Findings findings;
    try {
        read_root(read_yaml(text, file), runbook, findings);
    } catch (const RunbookError& e) {  // it is no YAML
        findings.add_all(e);
    }
    runbook.faults = findings.all();
    return runbook;
}

Runbook read_draft(const std::string& path) {
    try {
        return draft_runbook(read_text(path), path);
    } catch (const RunbookError& e) {  // it cannot be read
        Runbook runbook;
        runbook.file = path;
        runbook.faults = e.findings();
        return runbook;
    }
}

Runbook parse_runbook(const std::string& text, const std::string& file) { return whole(draft_runbook(text, file)); }

Runbook read_runbook(const std::string& path) { return whole(read_draft(path)); }

}  // namespace diag::runbook
