#include "runbook/rows.hpp"

#include <algorithm>
#include <map>

#include "base/nearest.hpp"
#include "runbook/expression.hpp"
#include "runbook/fields.hpp"
#include "runbook/link_rows.hpp"
#include "runbook/port_rows.hpp"

namespace diag::runbook {
namespace {

const std::vector<std::string> kinds = {"peer", "machine", "link", "direction", "port"};

Row machine_row(const std::string& label, const Machine& machine, const Machine* peer, std::size_t turn = 0) {
    Row row;
    row.label = label;
    row.machine = &machine;
    row.peer = peer;
    row.turn = turn;
    return row;
}

std::vector<Row> machine_rows(const Site& site) {
    std::vector<Row> found;
    for (const auto& machine : site.machines) found.push_back(machine_row(machine.key, machine, nullptr));
    return found;
}

std::vector<Row> peer_rows(const Site& site, const Machine& self) {
    std::vector<Row> found;
    for (const auto& machine : site.machines)
        if (machine.key != self.key) found.push_back(machine_row(machine.key, self, &machine));
    return found;
}

// Every ordered pair of machines; the two directions of a pair have turns of their own, one after the other.
std::vector<Row> mesh_rows(const Checkpoint& checkpoint, const Site& site, Findings& findings) {
    const auto& machines = site.machines;
    const Pairing pairing({Pairs::Kind::mesh, 0}, machines.size());
    std::vector<Row> found;
    if (2 * pairing.count() > max_rows) {
        findings.error(checkpoint.each_mark, "every peer from each of " + std::to_string(machines.size()) + " machines is " +
                                                 std::to_string(2 * pairing.count()) + " rows, more than " + std::to_string(max_rows));
        return found;
    }
    for (std::size_t from = 0; from < machines.size(); ++from)
        for (const auto& [to, turn] : pairing.partners(from))
            found.push_back(
                machine_row(machines[from].key + " -> " + machines[to].key, machines[from], &machines[to], 2 * turn + (from < to ? 0 : 1)));
    return found;
}

std::string item_label(const Node& item, std::size_t number) {
    if (item.is_scalar()) return item.text;
    for (const char* key : {"id", "name", "key"})
        if (const Node* value = item.find(key); value != nullptr && value->is_scalar()) return value->text;
    return std::to_string(number);
}

std::vector<Row> item_rows(const Node& list, const Machine& self) {
    std::vector<Row> found;
    std::map<std::string, int> seen;
    for (const auto& item : list.list) {
        Row row;
        row.label = item_label(item, found.size() + 1);
        if (const int count = ++seen[row.label]; count > 1) row.label += " (" + std::to_string(count) + ")";
        row.machine = &self;
        row.item = &item;
        found.push_back(row);
    }
    return found;
}

// The dotted names of all lists that `each` could name.
void add_lists(const Node& map, const std::string& front, std::vector<std::string>& names) {
    for (const auto& [key, value] : map.map) {
        if (front.empty() && (key.text == "links" || key.text == "machines")) continue;
        if (value.is_list()) names.push_back(front + key.text);
        if (value.is_map()) add_lists(value, front + key.text + ".", names);
    }
}

void refuse_each(const Checkpoint& checkpoint, const std::string& near, Findings& findings) {
    findings.error(checkpoint.each_mark,
                   "'each' is " + listed(kinds) + " or a list of the site file, not '" + checkpoint.each + "'" + near);
}

void refuse_where(const Checkpoint& checkpoint, Findings& findings) {
    if (!checkpoint.where.empty())
        findings.error(checkpoint.where_mark, "'where' narrows 'each: " + listed(kinds) + "'; there is none of these here");
}

// The list that `each` names; nullptr, with a finding, where there is none.
const Node* find_list(const Checkpoint& checkpoint, const Site& site, Findings& findings) {
    const Path path = split_path(checkpoint.each);
    const Node* node = path.empty() ? nullptr : &site.root;
    for (const auto& step : path) node = node == nullptr ? nullptr : node->find(step);
    if (node != nullptr && node->is_list()) return node;
    if (node != nullptr && !node->is_null()) {
        findings.error(checkpoint.each_mark,
                       "'each: " + checkpoint.each + "' must name a list; it is " + node->shown() + " at " + to_text(node->mark));
        return nullptr;
    }
    std::vector<std::string> names = kinds;
    add_lists(site.root, "", names);
    const std::string near = base::did_you_mean(checkpoint.each, names);
    if (path.empty() || !near.empty())
        refuse_each(checkpoint, near, findings);
    else
        findings.warn(checkpoint.each_mark, "no rows: the site file has no list '" + checkpoint.each + "'");
    return nullptr;
}

// A row's other machine, or its own where there is no other, must have the role.
void narrow(std::vector<Row>& found, const std::string& where) {
    std::erase_if(found, [&](const Row& row) { return !has_role(row.peer != nullptr ? *row.peer : *row.machine, where); });
}

// What `where` could have been.
std::vector<std::string> words_for_where(const Checkpoint& checkpoint, const Site& site, const Machine& self) {
    if (is_link_kind(checkpoint.each)) return words_of_links(checkpoint, site, self);
    if (checkpoint.each == "port") return words_of_ports(checkpoint, site, self);
    std::vector<std::string> words;
    for (const auto& machine : site.machines)
        if (&machine != &self || checkpoint.each == "machine" || checkpoint.mesh) add_new(words, machine.roles);
    return words;
}

void tell_empty(const Checkpoint& checkpoint, const Site& site, const Machine& self, bool narrowed, Findings& findings) {
    if (!narrowed && checkpoint.each == "port") return;
    if (!narrowed) return findings.warn(checkpoint.each_mark, "no rows: the site file gives " + self.key + " no " + checkpoint.each);
    const auto words = words_for_where(checkpoint, site, self);
    if (std::find(words.begin(), words.end(), checkpoint.where) != words.end())
        return findings.warn(checkpoint.where_mark,
                             "no rows: none of the pairs ends at a '" + checkpoint.where + "'; 'pairs: mesh' has all");
    findings.warn(checkpoint.where_mark, "no rows: nothing here is '" + checkpoint.where + "'" +
                                             base::did_you_mean(checkpoint.where, words) +
                                             (words.empty() ? "" : " (" + listed(words) + ")"));
}

// Of a kind; narrowed by `where`.
std::vector<Row> rows_of_kind(const Checkpoint& checkpoint, const Site& site, const Machine& self, Findings& findings) {
    std::vector<Row> found;
    bool any = false;  // without `where`
    if (is_link_kind(checkpoint.each)) {
        found = link_rows(checkpoint, site, self, findings);
        any = !found.empty() || !words_of_links(checkpoint, site, self).empty();
    } else if (checkpoint.each == "port") {
        found = port_rows(checkpoint, site, self, findings);
        any = !found.empty() || !words_of_ports(checkpoint, site, self).empty();
    } else {
        found = checkpoint.mesh             ? mesh_rows(checkpoint, site, findings)
                : checkpoint.each == "peer" ? peer_rows(site, self)
                                            : machine_rows(site);
        any = !found.empty();
        if (!checkpoint.where.empty()) narrow(found, checkpoint.where);
    }
    if (found.empty()) tell_empty(checkpoint, site, self, any && !checkpoint.where.empty(), findings);
    return found;
}

std::vector<Row> rows_of_list(const Checkpoint& checkpoint, const Site& site, const Machine& self, Findings& findings) {
    const Node* list = find_list(checkpoint, site, findings);
    if (list != nullptr || !kind_meant(checkpoint.each)) refuse_where(checkpoint, findings);
    if (list != nullptr && list->list.empty())
        findings.warn(checkpoint.each_mark, "no rows: the list at " + to_text(list->mark) + " is empty");
    return list == nullptr ? std::vector<Row>{} : item_rows(*list, self);
}

}  // namespace

bool is_kind(const std::string& each) { return std::find(kinds.begin(), kinds.end(), each) != kinds.end(); }

std::optional<std::string> kind_meant(const std::string& each) {
    const auto near = is_kind(each) ? std::nullopt : base::nearest(each, kinds, 1);
    return near && each != *near + "s" ? near : std::nullopt;
}

std::string each_without_site(const Checkpoint& checkpoint, Findings& findings) {
    if (is_kind(checkpoint.each)) return checkpoint.each;
    if (const auto meant = kind_meant(checkpoint.each)) {
        refuse_each(checkpoint, "; did you mean '" + *meant + "'?", findings);
        return *meant;
    }
    refuse_where(checkpoint, findings);
    findings.warn(checkpoint.each_mark,
                  "'each: " + checkpoint.each + "' names a list of the site file, and needs one to be checked (--site)");
    return checkpoint.each;
}

std::vector<Row> rows(const Checkpoint& checkpoint, const Site* site, const std::string& machine, Findings& findings) {
    if (checkpoint.each.empty()) {
        refuse_where(checkpoint, findings);
        Row row;
        row.machine = site == nullptr ? nullptr : site->machine(machine);
        return {row};
    }
    if (site == nullptr) {
        findings.error(checkpoint.each_mark, "'each: " + checkpoint.each + "' needs a site file (--site)");
        return {};
    }
    const Machine& self = *site->machine(machine);
    return is_kind(checkpoint.each) ? rows_of_kind(checkpoint, *site, self, findings) : rows_of_list(checkpoint, *site, self, findings);
}

}  // namespace diag::runbook
