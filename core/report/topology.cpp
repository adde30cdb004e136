#include "report/topology.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/recorded.hpp"

namespace diag::report {
namespace {

const SheetEnd* end_of(const SheetLink& link, const std::string& machine) {
    const auto at = std::find_if(link.ends.begin(), link.ends.end(), [&](const auto& end) { return end.machine == machine; });
    return at == link.ends.end() ? nullptr : &*at;
}

json properties_of(const host::Thing& thing) {
    json map = json::object();
    for (const auto& p : thing.properties) map[p.name] = p.text.empty() ? json() : p.value;  // an empty text: not known
    return map;
}

json seen_of_kind(const Topology& topology, const std::string& kind) {
    json map = json::object();
    for (const auto* thing : topology.seen.of_kind(kind)) map[thing->name] = properties_of(*thing);
    return map.empty() ? json() : map;
}

// "9000" of a site file is the number.
json value_of(const json& written) {
    if (!written.is_string()) return written;
    const std::string text = written.get<std::string>();
    const bool number =
        !text.empty() && text.size() < 16 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    return number ? json(std::stoll(text)) : written;
}

json member(const json& map, const std::string& key) { return map.is_object() ? value_of(map.value(key, json())) : json(); }

// The link that carries the cluster's traffic: the first of this machine that is not the one for management.
json cluster_link(const Topology& topology) {
    for (const auto& link : topology.links) {
        if (link.management || end_of(link, topology.machine) == nullptr) continue;
        for (const auto& node : topology.site.value("links", json::array()))
            if (node.value("id", "") == link.id) return node;
    }
    return {};
}

json looked_up(const Topology& topology, const std::string& from) {
    const auto dot = from.find('.');
    const std::string where = from.substr(0, dot), key = dot == std::string::npos ? "" : from.substr(dot + 1);
    if (where == "look") return seen_of_kind(topology, key);
    if (where == "site") return member(topology.site, key);
    if (where == "link") return member(cluster_link(topology), key);
    if (where == "end") return member(member(member(cluster_link(topology), "ends"), topology.machine), key);
    return from;
}

// Null for what was never measured.
void add_measured(json& entry, const json& table, const std::vector<json>& verdicts) {
    for (const auto& [check, keys] : table.items())
        for (const auto& [key, from] : keys.items()) {
            entry[key] = nullptr;
            for (const auto& verdict : verdicts) {
                if (verdict.value("check", "") != check) continue;
                entry[key] = recorded(verdict, from.get<std::string>());
                entry["measured_at"] = verdict.value("time", "");
            }
        }
}

// The links of this machine, each under the name by which its far end is asked.
json links_from_here(const Topology& topology, const json& table) {
    json links = json::object();
    for (const auto& link : topology.links) {
        const SheetEnd* here = end_of(link, topology.machine);
        if (here == nullptr) continue;
        for (const auto& there : link.ends) {
            if (&there == here) continue;
            std::string name = there.name.empty() ? there.address : there.name;
            if (links.contains(name)) name += " (" + link.id + ")";
            json& entry = links[name] = {
                {"link", link.id}, {"management", link.management}, {"interface", here->interface}, {"machine", there.machine}};
            const auto found = topology.measured.find(link.id + ": " + here->machine + " -> " + there.machine);
            add_measured(entry, table, found == topology.measured.end() ? std::vector<json>{} : found->second);
        }
    }
    return links;
}

json or_null(const std::string& text) { return text.empty() ? json() : json(text); }

json end_record(const Topology& topology, const SheetEnd& end) {
    const EndSight at = look_at(topology, end);
    json entry = {{"interface", or_null(end.interface)}, {"name", or_null(end.name)}, {"address", or_null(end.address)}};
    entry["state"] = at.sight == Sight::seen ? "seen" : at.sight == Sight::not_seen ? "not seen" : "unknown";
    if (at.thing != nullptr) entry["properties"] = properties_of(*at.thing);
    if (!at.why.empty()) entry["why"] = at.why;
    return entry;
}

json all_links(const Topology& topology) {
    json links = json::object();
    for (const auto& link : topology.links) {
        json& entry = links[link.id] = {{"management", link.management}, {"ends", json::object()}};
        for (const auto& end : link.ends) entry["ends"][end.machine] = end_record(topology, end);
    }
    return links;
}

}  // namespace

EndSight look_at(const Topology& topology, const SheetEnd& end) {
    if (end.machine != topology.machine) return {Sight::unknown, nullptr, "it belongs to " + end.machine + ", which was not looked at"};
    if (end.interface.empty()) return {Sight::unknown, nullptr, "the site file names no interface"};
    for (const auto* thing : topology.seen.of_kind("interface"))
        if (thing->name == end.interface) return {Sight::seen, thing, ""};
    if (topology.seen.blind.empty()) return {Sight::not_seen, nullptr, "diag look shows no such interface here"};
    return {Sight::unknown, nullptr, topology.seen.blind.front().plugin + " could not look: " + topology.seen.blind.front().reason};
}

json topology_record(const Topology& topology, const json& table, const std::string& time, const std::string& note) {
    json record = json::object();
    for (const auto& [key, from] : table.items())
        if (from.is_string()) record[key] = looked_up(topology, from.get<std::string>());
    json roles = json::array(), peers = json::array();
    for (const auto& machine : topology.machines) {
        if (machine.key != topology.machine) peers.push_back(machine.name.empty() ? machine.key : machine.name);
        if (machine.key == topology.machine) roles = machine.roles;
    }
    record.update({{"lab", "diag/topology"},
                   {"real", !topology.lab && topology.root.empty()},
                   {"date", time.substr(0, 10)},
                   {"recorded_at", time.substr(0, 19) + "+00:00"},
                   {"machine", topology.machine},
                   {"roles", roles},
                   {"peers", peers},
                   {"os", or_null(topology.on.system)},
                   {"kernel", or_null(topology.on.kernel)},
                   {"arch", or_null(topology.on.arch)},
                   {"links", links_from_here(topology, table.value("links", json::object()))},
                   {"site_links", all_links(topology)},
                   {"note", note}});
    return record;
}

}  // namespace diag::report
