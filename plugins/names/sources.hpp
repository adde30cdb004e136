// Where this machine's names come from: its files, read once, for explaining what getaddrinfo() answered.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "probe/resolve_config.hpp"
#include "world.hpp"

namespace diag::names {

struct Sources {
    std::vector<probe::HostsLine> hosts;        // /etc/hosts
    std::vector<probe::HostsService> services;  // the `hosts:` line of /etc/nsswitch.conf
    probe::ResolverConfig dns;                  // /etc/resolv.conf
    std::vector<std::string> problems;          // a file that is absent or cannot be read, in words
    std::set<std::string> unreadable;           // those of the files that are there
};

Sources read_sources(World& world);

// "line 5 of /etc/hosts", or "no line of /etc/hosts".
std::string origin(const Sources& sources, const std::string& name, const probe::Address& address);
bool in_hosts(const Sources& sources, const std::string& name);

// "files mdns4_minimal [NOTFOUND=return] dns"
std::string services_text(const Sources& sources);
// Whether one of them asks the servers of /etc/resolv.conf; so does glibc where there is no such line.
bool ask_for_servers(const Sources& sources);
// The files' part of the evidence: the lines of /etc/hosts that name one of `names`, the services, the servers.
std::string sources_text(const Sources& sources, const std::vector<std::string>& names);

// What the first server that speaks says about `name` as glibc would spell it (with the search list where that comes in).
struct DnsFinding {
    std::optional<probe::Address> server;  // that knows addresses of it
    std::string asked;                     // the spelling that it knows
    std::string told;                      // what each server said, in words
    bool heard = false;                    // a server gave a definite answer
};
DnsFinding ask_servers(World& world, const Sources& sources, const std::string& name);

// The mDNS service that keeps a `.local` name from DNS, or nothing.
std::optional<std::string> mdns_in_front_of_dns(const Sources& sources, const std::string& name);

}  // namespace diag::names
