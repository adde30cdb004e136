#include "runbook/link_rows.hpp"

#include <algorithm>

#include "runbook/rows.hpp"

namespace diag::runbook {
namespace {

bool is_one_of(const Link& link, const std::string& where) { return where == link.id || where == link.port || where == link.group; }

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

// One link's part in a checkpoint.
class LinkRows {
  public:
    LinkRows(const Checkpoint& checkpoint, const Site& site, const Link& link)
        : checkpoint_(checkpoint), site_(site), link_(link), pairs_(chosen()), pairing_(pairs_, link.ends.size()) {
        const bool whole = checkpoint.where.empty() || is_one_of(link, checkpoint.where);
        for (const auto& end : link.ends) {
            const Machine* machine = site.machine(end.machine);
            kept_.push_back(whole || has_role(*machine, checkpoint.where));
        }
    }

    // How many rows there will be for all ends: exactly, or nearly where `where` is a role.
    std::size_t count() const {
        const auto kept = static_cast<std::size_t>(std::count(kept_.begin(), kept_.end(), true));
        return link_.ends.empty() ? 0 : 2 * pairing_.count() * kept / link_.ends.size();
    }

    // The rows that start at one end; both directions of a pair have turns of their own, one after the other.
    void add(std::size_t here, std::vector<Row>& found) const {
        for (const auto& partner : pairing_.partners(here)) {
            if (!kept_[partner.end]) continue;
            found.push_back(link_row(site_, link_, link_.ends[here], link_.ends[partner.end]));
            found.back().turn = 2 * partner.turn + (here < partner.end ? 0 : 1);
        }
    }

    bool is_unasked_ring() const { return pairs_.kind == Pairs::Kind::automatic && !pairing_.is_mesh(); }

  private:
    // The checkpoint's word counts, else the link's.
    const Pairs& chosen() const { return checkpoint_.pairs.kind == Pairs::Kind::automatic ? link_.pairs : checkpoint_.pairs; }

    const Checkpoint& checkpoint_;
    const Site& site_;
    const Link& link_;
    const Pairs& pairs_;
    Pairing pairing_;
    std::vector<bool> kept_;  // by end: rows that go there
};

// A ring that nobody asked for measures less than is there.
void tell_ring(const Checkpoint& checkpoint, const Link& link, Findings& findings) {
    findings.warn(checkpoint.each_mark, "link '" + link.id + "' has " + std::to_string(link.ends.size()) +
                                            " ends: each is measured with its two neighbours only; write 'pairs: mesh' for all, "
                                            "'pairs: sample N' for N partners each, or 'pairs: ring' where this is meant");
}

bool too_many(const Checkpoint& checkpoint, const Link& link, std::size_t rows, Findings& findings) {
    if (rows <= max_rows) return false;
    findings.error(checkpoint.pairs_mark.line == 0 ? checkpoint.each_mark : checkpoint.pairs_mark,
                   "with link '" + link.id + "' (" + std::to_string(link.ends.size()) + " ends) there are " + std::to_string(rows) +
                       " rows, more than " + std::to_string(max_rows) + "; write 'pairs: ring' or 'pairs: sample N'");
    return true;
}

// One of several functions of a physical port.
bool shares_port(const Site& site, const Link& link) {
    return !link.port.empty() &&
           std::any_of(site.links.begin(), site.links.end(), [&](const Link& other) { return &other != &link && other.port == link.port; });
}

}  // namespace

bool is_link_kind(const std::string& each) { return each == "link" || each == "direction"; }

bool has_role(const Machine& machine, const std::string& role) {
    return std::find(machine.roles.begin(), machine.roles.end(), role) != machine.roles.end();
}

void add_new(std::vector<std::string>& words, const std::vector<std::string>& more) {
    for (const auto& word : more)
        if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

std::vector<Row> link_rows(const Checkpoint& checkpoint, const Site& site, const Machine& self, Findings& findings) {
    const bool from_here = checkpoint.each == "link";
    std::vector<Row> found;
    for (const auto& link : site.links) {
        if (checkpoint.each == "port" && !shares_port(site, link)) continue;
        if (from_here && link.ends.size() == 1)
            findings.warn(checkpoint.each_mark, "link '" + link.id + "' has one end only (" + to_text(link.node.mark) +
                                                    "): nothing is asked across it until the site file gives the other");
        const End* here = from_here ? link.end(self.key) : nullptr;
        if (from_here && here == nullptr) continue;
        const LinkRows rows(checkpoint, site, link);
        const std::size_t before = found.size();
        if (from_here) {
            rows.add(static_cast<std::size_t>(here - link.ends.data()), found);
        } else {
            if (too_many(checkpoint, link, before + rows.count(), findings)) return {};
            for (std::size_t end = 0; end < link.ends.size(); ++end) rows.add(end, found);
        }
        if (found.size() > before && rows.is_unasked_ring()) tell_ring(checkpoint, link, findings);
    }
    return found;
}

std::vector<std::string> words_of_links(const Checkpoint& checkpoint, const Site& site, const Machine& self) {
    const bool from_here = checkpoint.each == "link";
    std::vector<std::string> words;
    for (const auto& link : site.links) {
        if (link.ends.size() < 2 || (from_here && link.end(self.key) == nullptr)) continue;
        for (const auto& end : link.ends)
            if (!from_here || end.machine != self.key) add_new(words, site.machine(end.machine)->roles);
        add_new(words, {link.id, link.port, link.group});
    }
    return words;
}

}  // namespace diag::runbook
