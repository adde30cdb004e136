#include "cli/joined_site.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "cli/first_site.hpp"
#include "cli/join_looks.hpp"
#include "runbook/site.hpp"

namespace diag::cli {
namespace {

using runbook::DraftMap;
using runbook::scalar;
using runbook::SiteDraft;

// What may be the id of a link; an interface's name may hold more.
std::string tidy(std::string text) {
    for (char& c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-' && c != '.') c = '-';
    return text.empty() || std::isalnum(static_cast<unsigned char>(text.front())) == 0 ? "link" + text : text;
}

const host::Thing* interface_at(const MachineLook& machine, const std::string& name) {
    for (const auto* thing : machine.alone.of_kind("interface"))
        if (thing->name == name) return thing;
    return nullptr;
}

bool has_key(const DraftMap& map, const std::string& key) {
    return std::ranges::any_of(map, [&](const auto& entry) { return entry.first == key; });
}

class JoinedSite {
  public:
    JoinedSite(const std::vector<MachineLook>& machines, std::string host_name)
        : machines_(machines), host_name_(std::move(host_name)), joined_(join_looks(machines)) {
        for (const auto& machine : machines_) endpoints_.push_back(endpoints_of(machine));
    }

    SiteDraft draft() {
        draft_.about =
            fmt::format("The site file of {}, from what they show and whom they see.  See the page on the site file, and: diag lint",
                        enumerated(keys()));
        for (const auto& segment : joined_.segments) add_link(segment);
        mark_management();
        for (std::size_t i = 0; i < machines_.size(); ++i) add_machine(i);
        left_out();
        return std::move(draft_);
    }

  private:
    std::vector<std::string> keys() const {
        std::vector<std::string> all;
        for (const auto& machine : machines_) all.push_back(machine.key);
        return all;
    }

    void add_link(const Segment& segment) {
        SiteDraft::Link link{new_id(segment), {}, {}};
        std::vector<std::string> ends;
        for (const auto& [machine, at] : segment.ends) {
            ends.push_back(machines_[machine].key + " " + at.interface);
            link.ends.emplace_back(machines_[machine].key, end_keys(machine, at));
        }
        add_common(segment, link);
        draft_.decided.push_back(fmt::format("link {} ({}): {} answer each other there, each with the hardware address of its interface",
                                             link.id, segment.network, enumerated(ends)));
        draft_.links.push_back(std::move(link));
    }

    // The interface where all ends call it so; on a second link of that name with the last end's key, and counted on.
    std::string new_id(const Segment& segment) {
        const std::string base = tidy(segment.ends.front().at.interface);
        std::string id = base;
        if (!ids_.insert(id).second)
            for (int n = 1;
                 !ids_.insert(id = base + "-" + machines_[segment.ends.back().machine].key + (n == 1 ? "" : std::to_string(n))).second;)
                ++n;
        return id;
    }

    DraftMap end_keys(std::size_t machine, const Endpoint& at) {
        DraftMap keys{{"interface", scalar(at.interface)}};
        if (const auto name = end_name(machine, at)) keys.emplace_back("name", scalar(*name));
        keys.emplace_back("address", scalar(at.address));
        if (const auto* thing = interface_at(machines_[machine], at.interface))
            for (auto& [key, value] : marked(*thing, "end"))
                if (!has_key(keys, key)) keys.emplace_back(key, std::move(value));
        return keys;
    }

    // All other machines must know it by one name, and that name must lead to this interface alone: what only some know, or what leads
    // to two links, is no name of this end.
    std::optional<std::string> end_name(std::size_t machine, const Endpoint& at) {
        std::set<std::string> names;
        std::vector<std::string> ignorant;
        for (std::size_t i = 0; i < machines_.size(); ++i) {
            if (i == machine || machines_[i].met.things.empty()) continue;
            const std::string name = name_at(i, at.address, machine, at.interface);
            name.empty() ? ignorant.push_back(machines_[i].key) : static_cast<void>(names.insert(name));
        }
        const std::string end = machines_[machine].key + " " + at.interface + " (" + at.address + ")";
        if (names.size() == 1 && ignorant.empty() && free(*names.begin(), machine)) return *names.begin();
        if (names.empty())
            draft_.unknown.push_back(fmt::format("a name for {}, where it has one: the others know none that leads there alone", end));
        else
            draft_.unknown.push_back(
                fmt::format("a name for {}: {} is not what all others call it", end, enumerated({names.begin(), names.end()})));
        return std::nullopt;
    }
    std::string name_at(std::size_t asked, const std::string& address, std::size_t owner, const std::string& interface) const {
        for (const auto& known : names_at(machines_[asked])) {
            const bool alone = std::ranges::all_of(known.addresses, [&](const std::string& one) {
                return std::ranges::any_of(endpoints_[owner],
                                           [&](const Endpoint& e) { return e.address == one && e.interface == interface; });
            });
            if (known.asked == address && alone && runbook::is_host_name(known.name)) return known.name;
        }
        return "";
    }
    // A name belongs to one machine.
    bool free(const std::string& name, std::size_t machine) { return name_owners_.try_emplace(name, machine).first->second == machine; }

    // What all ends say alike is the link's.
    void add_common(const Segment& segment, SiteDraft::Link& link) {
        std::vector<std::string> order;
        std::map<std::string, std::map<std::string, std::vector<std::string>>> told;  // key -> value -> ends
        for (const auto& [machine, at] : segment.ends) {
            const auto* thing = interface_at(machines_[machine], at.interface);
            if (thing == nullptr) continue;
            for (const auto& p : thing->properties) {
                if (p.site_key.rfind("link.", 0) != 0) continue;
                const std::string key = p.site_key.substr(5);
                if (!told.contains(key)) order.push_back(key);
                told[key][p.site_value].push_back(machines_[machine].key);
            }
        }
        for (const auto& key : order) {
            const auto& [value, ends] = *told[key].begin();
            if (told[key].size() == 1 && ends.size() == segment.ends.size() && !value.empty())
                link.keys.emplace_back(key, scalar(value));
            else
                draft_.unknown.push_back(fmt::format("{} of link {}: {}", key, link.id, differing(told[key])));
        }
    }
    static std::string differing(const std::map<std::string, std::vector<std::string>>& told) {
        std::vector<std::string> parts;
        parts.reserve(told.size());
        for (const auto& [value, ends] : told)
            parts.push_back(enumerated(ends) + (ends.size() == 1 ? " says " : " say ") + (value.empty() ? "nothing" : value));
        return enumerated(parts);
    }

    // The path of the logins that the looks came by; without such a link the one with the way out.
    void mark_management() {
        if (const auto ends = mark_links(&Endpoint::login, 1); !ends.empty())
            draft_.decided.push_back("management: the logins of diag init arrived at " + enumerated(ends));
        else if (const auto own = mark_links(&Endpoint::login, 0); !own.empty())
            draft_.decided.push_back("management: the login to this machine arrived at " + enumerated(own));
        else if (const auto out = mark_links(&Endpoint::gateway, 0); !out.empty())
            draft_.decided.push_back("management: no login came by a link that is here; the default route leaves by " + enumerated(out));
        else if (!draft_.links.empty())
            draft_.unknown.emplace_back("which link is the one by which the machines are administered (management: true)");
    }
    // The links with an end of which that is true, at a machine from number `first` on; returned are these ends.
    std::vector<std::string> mark_links(bool Endpoint::*flag, std::size_t first) {
        std::vector<std::string> ends;
        for (std::size_t l = 0; l < joined_.segments.size(); ++l)
            for (const auto& [machine, at] : joined_.segments[l].ends) {
                if (machine < first || !interface_has(machine, at.interface, flag)) continue;
                const std::string end = machines_[machine].key + " " + at.interface;
                if (std::ranges::find(ends, end) == ends.end()) ends.push_back(end);
                auto& keys = draft_.links[l].keys;
                if (!is_management(draft_.links[l])) keys.insert(keys.begin(), {"management", scalar("true")});
            }
        return ends;
    }
    bool interface_has(std::size_t machine, const std::string& interface, bool Endpoint::*flag) const {
        return std::ranges::any_of(endpoints_[machine], [&](const Endpoint& e) { return e.interface == interface && e.*flag; });
    }
    static bool is_management(const SiteDraft::Link& link) { return !link.keys.empty() && link.keys.front().first == "management"; }

    // Its name is what leads to it: as given where that is looked up here; else its end's name, on the management link first.  Where
    // only ssh's configuration knows what was given, ssh has to be told.
    void add_machine(std::size_t i) {
        const MachineLook& machine = machines_[i];
        DraftMap keys;
        std::string name = i > 0 && known_here(machine.given) && free(machine.given, i) ? machine.given : "";
        const bool called_so = !name.empty();
        if (name.empty()) name = name_of_an_end(machine.key);
        if (name.empty() && i == 0 && runbook::is_host_name(host_name_) && free(host_name_, i)) name = host_name_;
        if (name.empty() && i > 0 && known_here(host_name_of(machine)) && free(host_name_of(machine), i)) name = host_name_of(machine);
        if (!name.empty()) keys.emplace_back("name", scalar(name));
        if (i > 0 && !called_so) keys.emplace_back("ssh", scalar(machine.given));
        if (name.empty()) draft_.unknown.push_back("the name of " + machine.key + ": what it is called leads nowhere from here");
        draft_.machines.emplace_back(machine.key, std::move(keys));
    }
    bool known_here(const std::string& name) const {
        const auto known = names_at(machines_.front());
        return runbook::is_host_name(name) && !runbook::is_address(name) &&
               std::ranges::any_of(known, [&](const KnownAs& one) { return one.asked == name; });
    }
    std::string name_of_an_end(const std::string& key) const {
        for (const bool management : {true, false})
            for (const auto& link : draft_.links)
                for (const auto& [machine, keys] : link.ends)
                    for (const auto& [what, value] : keys)
                        if (is_management(link) == management && machine == key && what == "name") return value.words.front();
        return "";
    }

    void left_out() {
        for (const auto& sentence : joined_.left_out) draft_.decided.push_back("left out: " + sentence);
        for (std::size_t i = 0; i < machines_.size(); ++i) {
            const auto unfit = unfit_at(machines_[i]);
            for (const auto& sentence : unfit) draft_.decided.push_back("left out: " + machines_[i].key + " " + sentence);
            if (endpoints_[i].empty() && unfit.empty())
                draft_.unknown.push_back("the links of " + machines_[i].key +
                                         ": its diag tells no addresses at which others could meet it");
            else if (machines_.size() > 1 && machines_[i].met.things.empty())
                draft_.unknown.push_back("whom " + machines_[i].key + " sees: it could not be asked a second time");
        }
        if (draft_.links.empty()) draft_.unknown.emplace_back("links: no two of the machines see each other on an interface");
    }

    const std::vector<MachineLook>& machines_;
    std::string host_name_;
    JoinedLooks joined_;
    std::vector<std::vector<Endpoint>> endpoints_;  // of each machine
    std::set<std::string> ids_;
    std::map<std::string, std::size_t> name_owners_;
    SiteDraft draft_;
};

// One address with one identity is one interface of one machine.
bool same_machine(const MachineLook& one, const MachineLook& other) {
    const auto theirs = endpoints_of(other);
    for (const auto& mine : endpoints_of(one))
        for (const auto& at : theirs)
            if (mine.address == at.address && mine.identity == at.identity) return true;
    return false;
}

// "10.10.1.12" and "fd00::2" have no first label.
std::string key_of_name(const std::string& name) {
    std::string text = name;
    if (runbook::is_address(name)) std::ranges::replace(text, '.', '-');
    return runbook::machine_key(text);
}

}  // namespace

std::vector<std::string> name_machines(std::vector<MachineLook>& machines, const std::string& host_name) {
    std::vector<std::string> sentences;
    std::vector<MachineLook> kept;
    std::set<std::string> keys;
    for (auto& machine : machines) {
        const auto before = std::ranges::find_if(kept, [&](const MachineLook& other) { return same_machine(machine, other); });
        if (before != kept.end()) {
            const std::string other = before->given.empty() ? "this machine" : before->given;
            sentences.push_back(fmt::format("{} is {}: it stands in the file once", machine.given, other));
            continue;
        }
        const std::string own = kept.empty() ? host_name : host_name_of(machine);
        machine.key = key_of_name(own.empty() || own.rfind("localhost", 0) == 0 ? machine.given : own);
        if (keys.contains(machine.key)) machine.key = key_of_name(machine.given);
        const std::string base = machine.key;
        for (int n = 2; !keys.insert(machine.key).second; ++n) machine.key = fmt::format("{}-{}", base, n);
        kept.push_back(std::move(machine));
    }
    machines = std::move(kept);
    return sentences;
}

std::string unused_key(const std::string& host, const std::vector<std::pair<std::string, DraftMap>>& machines) {
    const std::string base = key_of_name(host);
    std::string key = base;
    for (int n = 2; std::ranges::any_of(machines, [&](const auto& machine) { return machine.first == key; }); ++n)
        key = fmt::format("{}-{}", base, n);
    return key;
}

SiteDraft site_from_looks(const std::vector<MachineLook>& machines, const std::string& host_name, const DraftMap& ssh) {
    SiteDraft draft = JoinedSite(machines, host_name).draft();
    draft.ssh = ssh;
    return draft;
}

}  // namespace diag::cli
