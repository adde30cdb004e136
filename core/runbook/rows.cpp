#include "runbook/rows.hpp"

#include <algorithm>
#include <map>

#include "base/nearest.hpp"
#include "runbook/expression.hpp"
#include "runbook/fields.hpp"

namespace diag::runbook {
namespace {

constexpr std::size_t max_rows = 250'000;  // of one checkpoint: a mesh of 500 machines

const std::vector<std::string> kinds = {"peer", "machine", "link", "direction"};

Row link_row(const Site& site, const Link& link, const End& here, const End& there) {
    Row row;
    row.label = link.id + ": " + here.machine + " -> " + there.machine;
    row.machine = site.machine(here.machine);
    row.peer = site.machine(there.machine);
    row.link = &link;
    row.here = &here;
    row.there = &there;
    return row;
}

// The checkpoint's word counts, else the link's.
const Pairs& pairs_of(const Checkpoint& checkpoint, const Link& link) {
    return checkpoint.pairs.kind == Pairs::Kind::automatic ? link.pairs : checkpoint.pairs;
}

// The rows that start at one end; both directions of a pair have turns of their own, one after the other.
void add_rows(const Site& site, const Link& link, const Pairing& pairing, std::size_t here, std::vector<Row>& found) {
    for (const auto& partner : pairing.partners(here)) {
        found.push_back(link_row(site, link, link.ends[here], link.ends[partner.end]));
        found.back().turn = 2 * partner.turn + (here < partner.end ? 0 : 1);
    }
}

// A row per measured pair with this machine's end of each link.
std::vector<Row> link_rows(const Checkpoint& checkpoint, const Site& site, const Machine& self) {
    std::vector<Row> found;
    for (const auto& link : site.links)
        if (const End* here = link.end(self.key); here != nullptr)
            add_rows(site, link, {pairs_of(checkpoint, link), link.ends.size()}, static_cast<std::size_t>(here - link.ends.data()), found);
    return found;
}

// A row per direction of every measured pair of ends of every link; it runs where the direction starts.
std::vector<Row> direction_rows(const Checkpoint& checkpoint, const Site& site, Findings& findings) {
    std::vector<Row> found;
    for (const auto& link : site.links) {
        const Pairing pairing(pairs_of(checkpoint, link), link.ends.size());
        if (found.size() + 2 * pairing.count() > max_rows) {
            findings.error(checkpoint.pairs_mark.line == 0 ? checkpoint.each_mark : checkpoint.pairs_mark,
                           "with link '" + link.id + "' (" + std::to_string(link.ends.size()) + " ends) there are " +
                               std::to_string(found.size() + 2 * pairing.count()) + " rows, more than " + std::to_string(max_rows) +
                               "; write 'pairs: ring' or 'pairs: sample N'");
            return {};
        }
        for (std::size_t here = 0; here < link.ends.size(); ++here) add_rows(site, link, pairing, here, found);
    }
    return found;
}

// A ring that nobody asked for measures less than is there: it is said, for the links that have rows.
void tell_rings(const std::vector<Row>& found, const Checkpoint& checkpoint, Findings& findings) {
    const Link* last = nullptr;
    for (const auto& row : found) {
        if (row.link == nullptr || row.link == last) continue;
        last = row.link;
        if (pairs_of(checkpoint, *last).kind != Pairs::Kind::automatic || last->ends.size() <= mesh_up_to) continue;
        findings.warn(checkpoint.each_mark, "link '" + last->id + "' has " + std::to_string(last->ends.size()) +
                                                " ends: each is measured with its two neighbours only; write 'pairs: mesh' for all, "
                                                "'pairs: sample N' for N partners each, or 'pairs: ring' where this is meant");
    }
}

std::vector<Row> machine_rows(const Site& site, const Machine& self, bool peers) {
    std::vector<Row> found;
    for (const auto& machine : site.machines) {
        if (peers && machine.key == self.key) continue;
        Row row;
        row.label = machine.key;
        row.machine = peers ? &self : &machine;
        row.peer = peers ? &machine : nullptr;
        found.push_back(row);
    }
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
    for (const auto& [key, value] : site.root.map)
        if (value.is_list() && key.text != "links") names.push_back(key.text);
    const std::string near = base::did_you_mean(checkpoint.each, names);
    if (path.empty() || !near.empty())
        findings.error(checkpoint.each_mark,
                       "'each' is " + listed(kinds) + " or a list of the site file, not '" + checkpoint.each + "'" + near);
    else
        findings.warn(checkpoint.each_mark, "no rows: the site file has no list '" + checkpoint.each + "'");
    return nullptr;
}

// What `where` may match in a row.
std::vector<std::string> words_of(const Row& row) {
    std::vector<std::string> words = row.peer != nullptr ? row.peer->roles : row.machine->roles;
    if (row.link != nullptr) words.insert(words.end(), {row.link->id, row.link->port, row.link->group});
    return words;
}

void narrow(std::vector<Row>& found, const Checkpoint& checkpoint, Findings& findings) {
    if (found.empty()) return;
    std::vector<std::string> words;
    std::erase_if(found, [&](const Row& row) {
        const auto own = words_of(row);
        for (const auto& word : own)
            if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
        return std::find(own.begin(), own.end(), checkpoint.where) == own.end();
    });
    if (found.empty())
        findings.warn(checkpoint.where_mark, "no rows: nothing here is '" + checkpoint.where + "'" +
                                                 base::did_you_mean(checkpoint.where, words) +
                                                 (words.empty() ? "" : " (" + listed(words) + ")"));
}

std::vector<Row> all_rows(const Checkpoint& checkpoint, const Site& site, const Machine& self, Findings& findings) {
    if (checkpoint.each == "link") {
        for (const auto& link : site.links)
            if (link.ends.size() == 1)
                findings.warn(checkpoint.each_mark, "link '" + link.id + "' has one end only (" + to_text(link.node.mark) +
                                                        "): nothing is asked across it until the site file gives the other");
        return link_rows(checkpoint, site, self);
    }
    if (checkpoint.each == "direction") return direction_rows(checkpoint, site, findings);
    if (checkpoint.each == "peer" || checkpoint.each == "machine") return machine_rows(site, self, checkpoint.each == "peer");
    const Node* list = find_list(checkpoint, site, findings);
    if (list != nullptr && list->list.empty())
        findings.warn(checkpoint.each_mark, "no rows: the list at " + to_text(list->mark) + " is empty");
    return list == nullptr ? std::vector<Row>{} : item_rows(*list, self);
}

}  // namespace

bool is_kind(const std::string& each) { return std::find(kinds.begin(), kinds.end(), each) != kinds.end(); }

std::vector<Row> rows(const Checkpoint& checkpoint, const Site* site, const std::string& machine, Findings& findings) {
    if (!checkpoint.where.empty() && !is_kind(checkpoint.each))
        findings.error(checkpoint.where_mark, "'where' narrows 'each: " + listed(kinds) + "'; there is none of these here");
    if (checkpoint.each.empty()) {
        Row row;
        row.machine = site == nullptr ? nullptr : site->machine(machine);
        return {row};
    }
    if (site == nullptr) {
        findings.error(checkpoint.each_mark, "'each: " + checkpoint.each + "' needs a site file (--site)");
        return {};
    }
    std::vector<Row> found = all_rows(checkpoint, *site, *site->machine(machine), findings);
    if (found.empty() && is_kind(checkpoint.each))
        findings.warn(checkpoint.each_mark, "no rows: the site file gives " + machine + " no " + checkpoint.each);
    if (!checkpoint.where.empty() && is_kind(checkpoint.each)) narrow(found, checkpoint, findings);
    tell_rings(found, checkpoint, findings);
    return found;
}

}  // namespace diag::runbook
