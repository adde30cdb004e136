#include "sources.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <diag/verdict.hpp>

namespace diag::names {

namespace {

constexpr std::size_t max_servers = 3;    // MAXNS, <resolv.h>: glibc asks no more
constexpr std::size_t max_spellings = 4;  // bounds the questions; longer search lists are rare

std::string read_or_say(World& world, const std::string& path, Sources& sources) {
    try {
        return world.read(path);
    } catch (const Absent& e) {
        sources.problems.emplace_back(e.what());
    } catch (const Unreadable& e) {
        sources.problems.emplace_back(e.what());
        sources.unreadable.insert(path);
    }
    return "";
}

// resolv.conf(5), ndots: a name with enough dots is tried as it is first, another with the search list first.
std::vector<std::string> spellings(const Sources& sources, const std::string& name) {
    if (name.ends_with('.')) return {name};
    std::vector<std::string> all;
    for (const auto& domain : sources.dns.search)
        if (domain != ".") all.push_back(name + "." + domain);
    const auto dots = static_cast<unsigned>(std::count(name.begin(), name.end(), '.'));
    all.insert(dots >= sources.dns.ndots ? all.begin() : all.end(), name);
    if (all.size() > max_spellings) all.resize(max_spellings);
    return all;
}

std::string address_list(const std::vector<probe::Address>& addresses) {
    std::string text;
    for (const auto& address : addresses) text += (text.empty() ? "" : ", ") + address.text();
    return text;
}

}  // namespace

Sources read_sources(World& world) {
    Sources sources;
    sources.hosts = probe::hosts_lines(read_or_say(world, "/etc/hosts", sources));
    sources.services = probe::hosts_services(read_or_say(world, "/etc/nsswitch.conf", sources));
    sources.dns = probe::resolver_config(read_or_say(world, "/etc/resolv.conf", sources));
    if (sources.dns.servers.size() > max_servers) sources.dns.servers.resize(max_servers);
    return sources;
}

std::string origin(const Sources& sources, const std::string& name, const probe::Address& address) {
    for (const auto& line : sources.hosts) {
        const auto written = probe::Address::parse(line.address);
        if (written && written->on(address.scope()) == address && line.has(name)) return fmt::format("line {} of /etc/hosts", line.number);
    }
    return "no line of /etc/hosts";
}

bool in_hosts(const Sources& sources, const std::string& name) {
    return std::any_of(sources.hosts.begin(), sources.hosts.end(), [&](const auto& line) { return line.has(name); });
}

std::string services_text(const Sources& sources) {
    std::string text;
    for (const auto& service : sources.services)
        text += (text.empty() ? "" : " ") + service.name + (service.action.empty() ? "" : " " + service.action);
    return text.empty() ? "(no hosts line)" : text;
}

bool ask_for_servers(const Sources& sources) {
    return sources.services.empty() || std::any_of(sources.services.begin(), sources.services.end(),
                                                   [](const auto& service) { return service.name == "dns" || service.name == "resolve"; });
}

std::string sources_text(const Sources& sources, const std::vector<std::string>& names) {
    std::string text = "/etc/hosts, the lines with these names:\n";
    for (const auto& line : sources.hosts)
        if (std::any_of(names.begin(), names.end(), [&](const auto& name) { return line.has(name); }))
            text += fmt::format("  {}: {}\n", line.number, line.text);
    text += "/etc/nsswitch.conf, hosts: " + services_text(sources) + "\n";
    text += "/etc/resolv.conf, servers: " + address_list(sources.dns.servers) + "\n";
    text += fmt::format("/etc/resolv.conf, search: {}\n", fmt::join(sources.dns.search, " "));
    for (const auto& problem : sources.problems) text += "not read: " + problem + "\n";
    return text;
}

DnsFinding ask_servers(World& world, const Sources& sources, const std::string& name) {
    DnsFinding finding;
    for (const auto& server : sources.dns.servers) {
        for (const auto& spelling : spellings(sources, name)) {
            const auto answer = world.ask_dns(server, spelling);
            const std::string detail = answer.addresses.empty() ? answer.error : address_list(answer.addresses);
            finding.told += fmt::format("{}{} about {}: {}{}", finding.told.empty() ? "" : "; ", server.text(), spelling,
                                        to_text(answer.status), detail.empty() ? "" : " (" + detail + ")");
            if (answer.status == probe::DnsAnswer::Status::silent) break;
            using Status = probe::DnsAnswer::Status;
            finding.heard = finding.heard || answer.status == Status::answered || answer.status == Status::no_such_name;
            if (answer.addresses.empty()) continue;
            finding.server = server;
            finding.asked = spelling;
            return finding;
        }
        if (finding.heard) return finding;
    }
    if (finding.told.empty()) finding.told = "/etc/resolv.conf names no server";
    return finding;
}

std::optional<std::string> mdns_in_front_of_dns(const Sources& sources, const std::string& name) {
    const auto dot = name.rfind('.', name.ends_with('.') ? name.size() - 2 : std::string::npos);
    if (dot == std::string::npos || !probe::same_name(name.substr(dot + 1), "local")) return std::nullopt;
    std::string blocker;
    for (const auto& service : sources.services) {
        if (service.name.starts_with("mdns") && service.not_found_ends() && blocker.empty()) blocker = service.name + " " + service.action;
        if (!blocker.empty() && (service.name == "dns" || service.name == "resolve")) return blocker;
    }
    return std::nullopt;
}

}  // namespace diag::names
