#include "runbook/port_rows.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "runbook/link_rows.hpp"

namespace diag::runbook {
namespace {

// Of the directions of all links: those of one port that go the same way make one row, in the place of the first.
std::vector<Row> joined(const std::vector<Row>& directions) {
    std::map<std::tuple<std::string, const Machine*, const Machine*>, std::size_t> places;
    std::vector<Row> found;
    for (const auto& direction : directions) {
        const auto [place, is_new] = places.try_emplace({direction.link->port, direction.machine, direction.peer}, found.size());
        if (is_new) found.push_back(direction);
        found[place->second].port.push_back({direction.link, direction.here, direction.there});
    }
    std::erase_if(found, [](const Row& row) { return row.port.size() < 2; });
    for (auto& row : found)
        row.label = row.link->port + " (" + std::to_string(row.port.size()) + " links): " + row.machine->key + " -> " + row.peer->key;
    return found;
}

}  // namespace

std::vector<Row> port_rows(const Checkpoint& checkpoint, const Site& site, const Machine& self, Findings& findings) {
    return joined(link_rows(checkpoint, site, self, findings));
}

std::vector<std::string> words_of_ports(const Checkpoint& checkpoint, const Site& site, const Machine& self) {
    Checkpoint all = checkpoint;
    all.where.clear();
    Findings told_already;
    std::vector<std::string> words;
    for (const auto& row : port_rows(all, site, self, told_already)) {
        add_new(words, row.peer->roles);
        for (const auto& one : row.port) add_new(words, {one.link->port, one.link->group});
    }
    return words;
}

}  // namespace diag::runbook
