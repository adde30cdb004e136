#include "runbook/lint.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/nearest.hpp"
#include "runbook/expression.hpp"
#include "runbook/planner.hpp"
#include "runbook/rows.hpp"

namespace diag::runbook {
namespace {

bool starts_with(const Path& path, const Path& front) {
    return path.size() >= front.size() && std::equal(front.begin(), front.end(), path.begin());
}

// References under the names of the maps they end in: link.here.x and link.there.x are keys of an end, those of port the same, peer.x of a
// machine.
Path where_it_ends(Path path) {
    if (path.size() > 1 && path[0] == "port") path[0] = "link";
    if (path.size() > 2 && path[0] == "link" && (path[1] == "here" || path[1] == "there")) {
        path.erase(path.begin());
        path[0] = "end";
    }
    if (path[0] == "peer") path[0] = "machine";
    return path;
}

std::vector<Path> used_paths(const std::vector<Runbook>& runbooks) {
    std::vector<Path> used;
    for (const auto& runbook : runbooks) {
        for (const auto& path : references(runbook)) used.push_back(where_it_ends(path));
        for (const auto& checkpoint : runbook.checkpoints) {
            Path list = split_path(checkpoint.each);
            if (list.empty() || is_kind(checkpoint.each)) continue;
            list.insert(list.begin(), "site");
            used.push_back(list);
        }
    }
    return used;
}

// Warns about keys of one kind of map that no reference reaches; each key once, where it first stands.
class Unused {
  public:
    // `hints`: a used name that is near may be what was meant; for settings a name that is used and not there is an error anyway.
    Unused(std::vector<Path> used, Findings& findings, bool hints = true) : used_(std::move(used)), findings_(findings), hints_(hints) {}

    void look(const Node& map, const Path& at, const std::vector<std::string>& core) {
        for (const auto& [key, value] : map.map) {
            if (std::find(core.begin(), core.end(), key.text) != core.end()) continue;
            Path path = at;
            path.push_back(key.text);
            if (whole(path)) continue;
            if (!part(path))
                warn(key, path, core);
            else
                look(value, path, {});
        }
    }

  private:
    // A reference ends at this key or above it, so all below is used.
    bool whole(const Path& path) const {
        return std::any_of(used_.begin(), used_.end(), [&](const Path& use) { return use.size() > 1 && starts_with(path, use); });
    }
    bool part(const Path& path) const {
        return std::any_of(used_.begin(), used_.end(), [&](const Path& use) { return starts_with(use, path); });
    }
    void warn(const Node& key, const Path& path, std::vector<std::string> names) {
        if (std::find(warned_.begin(), warned_.end(), path) != warned_.end()) return;
        warned_.push_back(path);
        const Path at(path.begin(), path.end() - 1);
        for (const auto& use : used_)
            if (use.size() > at.size() && starts_with(use, at)) names.push_back(use[at.size()]);
        findings_.warn(key.mark, "nothing uses '" + key.text + "'" + (hints_ ? base::did_you_mean(key.text, names) : ""));
    }

    std::vector<Path> used_;
    std::vector<Path> warned_;
    Findings& findings_;
    bool hints_;
};

void look_at_site(const Site& site, Unused& unused) {
    unused.look(site.root, {"site"}, {"ssh", "lab", "machines", "links"});
    for (const auto& machine : site.machines) unused.look(machine.node, {"machine"}, {"name", "roles", "ssh"});
    for (const auto& link : site.links) {
        unused.look(link.node, {"link"}, {"id", "management", "port", "group", "interface", "pairs", "ends", "members", "end"});
        for (const auto& end : link.ends) unused.look(end.node, {"end"}, {"interface", "name", "address"});
    }
}

// One address on two links of a machine: mostly a line that was copied, and sometimes meant, as on a bridge. The same interface
// in both says that it is meant: two links over one switch.
void warn_of_shared_addresses(const Site& site, Findings& findings) {
    std::map<std::pair<std::string, std::string>, const End*> first;
    std::set<std::string> told;  // a pattern stands for many machines
    for (const auto& link : site.links)
        for (const auto& end : link.ends) {
            if (end.address.empty()) continue;
            const auto [known, fresh] = first.try_emplace({end.machine, end.address}, &end);
            if (fresh || (!end.interface.empty() && end.interface == known->second->interface)) continue;
            const Mark& here = end.node.find("address")->mark;
            const std::string place = to_text(here), before = to_text(known->second->node.find("address")->mark);
            if (!told.insert(place).second) continue;
            findings.warn(here, "the address '" + end.address + "' of '" + end.machine + "' stands on two of its links" +
                                    (place == before ? "" : "; first at " + before));
        }
}

// The machines to make plans as: one of those that the same lines of the file stand for, since they differ in values only.
std::vector<std::string> kinds_of_machines(const Site& site) {
    std::map<std::string, std::string> written;  // by machine: the places that stand for it
    for (const auto& machine : site.machines) written[machine.key] = to_text(machine.node.mark);
    for (const auto& link : site.links)
        for (const auto& end : link.ends) written[end.machine] += " " + link.id + " " + to_text(end.node.mark);
    std::set<std::string> seen;
    std::vector<std::string> found;
    for (const auto& machine : site.machines)
        if (seen.insert(written[machine.key]).second) found.push_back(machine.key);
    return found;
}

void lint_plans(const Runbook& runbook, const Site* site, const host::Catalogue& catalogue, Findings& findings) {
    if (site == nullptr) {
        plan_with({runbook, nullptr, catalogue}, true, findings);
        return;
    }
    bool again = false;
    for (const auto& machine : kinds_of_machines(*site))
        plan_with({runbook, site, catalogue, machine}, false, findings, std::exchange(again, true));
}

}  // namespace

std::vector<Finding> errors_of(std::vector<Finding> findings) {
    std::erase_if(findings, [](const Finding& finding) { return finding.severity != Severity::error; });
    return findings;
}

std::vector<Finding> lint(const std::vector<Runbook>& runbooks, const Site* site, const host::Catalogue& catalogue) {
    Findings findings;
    bool whole = true;
    for (const auto& runbook : runbooks) {
        whole = whole && runbook.faults.empty();
        for (const auto& fault : runbook.faults) findings.add(fault);
        lint_plans(runbook, site, catalogue, findings);
        Unused(used_paths({runbook}), findings, false).look(runbook.settings, {"settings"}, {});
    }
    if (site != nullptr) {
        Unused unused(used_paths(runbooks), findings);
        look_at_site(*site, unused);
        warn_of_shared_addresses(*site, findings);
    }
    return whole ? findings.all() : errors_of(findings.all());
}

}  // namespace diag::runbook
