#include "cli/first_site.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "cli/joined_site.hpp"
#include "cli/options.hpp"
#include "runbook/site.hpp"

namespace diag::cli {
namespace {

using runbook::DraftMap;
using runbook::scalar;
using runbook::SiteDraft;

bool has(const DraftMap& map, const std::string& key) {
    return std::any_of(map.begin(), map.end(), [&](const auto& entry) { return entry.first == key; });
}

std::vector<std::string> words(const std::string& text, const std::string& separators) {
    std::vector<std::string> found;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find_first_of(separators, at), text.size());
        if (end > at) found.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return found;
}

// Settings by the part of the site file that they belong to.
class Env {
  public:
    Env(const std::map<std::string, std::string>& settings, const std::map<std::string, std::string>& places, SiteDraft& draft) {
        for (const auto& [key, value] : settings) {
            const auto place = places.find(key);
            if (place == places.end())
                draft.unknown.push_back(fmt::format("{} means nothing to a site file, and was left out", key));
            else if (!value.empty())
                take(key, value, words(place->second, "."), draft);
        }
    }
    DraftMap part(const std::string& name) const { return parts_.contains(name) ? parts_.at(name) : DraftMap{}; }
    std::string text(const std::string& name, const std::string& key) const {
        for (const auto& [own, value] : part(name))
            if (own == key) return value.words.front();
        return "";
    }
    const std::map<std::string, DraftMap>& parts() const { return parts_; }

  private:
    void take(const std::string& key, const std::string& value, const std::vector<std::string>& place, SiteDraft& draft) {
        const std::string suffix = place.size() > 2 ? place[2] : "";
        if (place.at(0) == "run")
            draft.unknown.push_back(fmt::format("{} belongs to a run: diag run RUNBOOK --set {}={}{}", key, place.at(1), value, suffix));
        else if (place.at(0) == "option")
            draft.unknown.push_back(fmt::format("{} belongs to a run: diag run RUNBOOK --{} {}", key, place.at(1), value));
        else
            parts_[place.at(0)].emplace_back(place.size() > 1 ? place[1] : "", scalar(value));
    }

    std::map<std::string, DraftMap> parts_;
};

const host::Thing* interface_of(const host::Seen& seen, const std::string& name) {
    for (const auto* thing : seen.of_kind("interface"))
        if (thing->name == name) return thing;
    return nullptr;
}

// This machine's end of the cluster's link: its interface, with the address that it has now.
DraftMap own_end(const Env& env, const host::Seen& seen, const std::string& host_name, SiteDraft& draft) {
    DraftMap end = env.part("end");
    const std::string interface = env.text("end", "interface");
    const auto* thing = interface_of(seen, interface);
    if (thing != nullptr)
        for (auto& entry : marked(*thing, "end")) end.push_back(std::move(entry));
    else if (!interface.empty())
        draft.unknown.push_back(fmt::format("there is no interface {} here; diag look lists them", interface));
    if (!has(end, "address")) {
        end.emplace_back("name", scalar(host_name));
        draft.unknown.push_back("the name or address of this machine's end of the link; its host name stands there for now");
    }
    return end;
}

void add_peers(const Env& env, const std::string& host_name, SiteDraft& draft) {
    const std::string self = draft.machines.front().first;
    std::set<std::string> seen;
    for (const auto& peer : words(env.text("peers", ""), " \t,")) {
        if (!seen.insert(peer).second) continue;
        const bool address = runbook::is_address(peer);
        if (!address && (peer == host_name || runbook::machine_key(peer) == self)) {
            draft.unknown.push_back(fmt::format("{} stands among the peers, and is this machine itself; it was left out", peer));
            continue;
        }
        const std::string key = unused_key(peer, draft.machines);
        draft.machines.emplace_back(key, DraftMap{{address ? "ssh" : "name", scalar(peer)}});
        draft.links.back().ends.emplace_back(key, DraftMap{{address ? "address" : "name", scalar(peer)}});
        draft.unknown.push_back(fmt::format("the interface and {} of {} on the link", address ? "name" : "address", key));
    }
}

}  // namespace

// What an interface may be called and a link may not: "eth0;1" becomes "eth0-1", and another "eth0-1" beside it "eth0-1-2".
std::string unused_id(const std::string& interface, const std::vector<SiteDraft::Link>& links) {
    std::string base = interface;
    for (char& c : base)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '-') c = '-';
    if (!std::isalnum(static_cast<unsigned char>(base.front()))) base.insert(0, "link");
    std::string id = base;
    for (int n = 2; std::ranges::any_of(links, [&](const auto& link) { return link.id == id; }); ++n) id = fmt::format("{}-{}", base, n);
    return id;
}

DraftMap marked(const host::Thing& thing, const std::string& part) {
    DraftMap map;
    for (const auto& p : thing.properties)
        if (p.site_key.rfind(part + ".", 0) == 0 && !p.site_value.empty())
            map.emplace_back(p.site_key.substr(part.size() + 1), scalar(p.site_value));
    return map;
}

SiteDraft site_from_look(const host::Seen& seen, const std::string& host_name) {
    SiteDraft draft;
    draft.about = "The site file: machines and links, from what " + host_name + " shows. See the page on the site file, and: diag lint";
    const std::string self = runbook::machine_key(host_name);
    draft.machines = {{self, {{"name", scalar(host_name)}}}};
    draft.unknown = {"the other machines, by a short key each",
                     "each link's other ends: the machine, its interface, and its name or address",
                     "which link is the one by which the machines are administered (management: true)"};
    for (const auto* thing : seen.of_kind("interface")) {
        DraftMap end = marked(*thing, "end");
        if (!has(end, "address")) continue;
        end.insert(end.begin(), {"interface", scalar(thing->name)});
        SiteDraft::Link link{unused_id(thing->name, draft.links), marked(*thing, "link"), {{self, end}}};
        for (const auto& p : thing->properties)
            if (!p.site_key.empty() && p.site_value.empty() && p.site_key.rfind("link.", 0) == 0)
                draft.unknown.push_back(fmt::format("{} of the link by {}: this machine does not tell it", p.name, thing->name));
        draft.links.push_back(std::move(link));
    }
    if (draft.links.empty()) draft.unknown.emplace_back("links: no interface of this machine has an address");
    return draft;
}

SiteDraft site_from_env(const std::map<std::string, std::string>& settings, const std::map<std::string, std::string>& places,
                        const host::Seen& seen, const std::string& host_name) {
    SiteDraft draft;
    draft.about = "The site file: machines and links, from a settings file. See the page on the site file, and: diag lint";
    const Env env(settings, places, draft);
    if (env.parts().empty()) throw UsageError("the settings file sets nothing that belongs into a site file");
    const std::string given = env.text("machine", "key");
    const std::string self = runbook::machine_key(given.empty() ? host_name : given);
    DraftMap machine{{"name", scalar(host_name)}};
    if (const auto roles = words(env.text("machine", "roles"), " ,"); !roles.empty())
        machine.emplace_back("roles", runbook::DraftValue{roles, true});
    draft.machines = {{self, machine}};
    draft.ssh = env.part("ssh");
    if (env.parts().contains("peers") || env.parts().contains("end")) {
        draft.links = {{"cluster", env.part("link"), {{self, own_end(env, seen, host_name, draft)}}}};
        add_peers(env, host_name, draft);
    }
    for (const auto& [part, keys] : env.parts())
        if (part != "machine" && part != "ssh" && part != "link" && part != "end" && part != "peers") draft.others.emplace_back(part, keys);
    return draft;
}

}  // namespace diag::cli
