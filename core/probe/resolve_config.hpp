// What the system's resolver is told by its files: hosts(5), nsswitch.conf(5), resolv.conf(5).  Text in, data out.
// For explaining what getaddrinfo() answered, not for replacing it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probe/address.hpp"

namespace diag::probe {

struct HostsLine {
    unsigned number = 0;                    // 1 is the first line
    std::string text, address;              // as written
    std::vector<std::string> names;         // the canonical one first
    bool has(std::string_view name) const;  // without regard to case
};

// Every line of /etc/hosts that gives an address a name.
std::vector<HostsLine> hosts_lines(std::string_view hosts);

struct HostsService {
    std::string name;    // files, dns, mdns4_minimal, resolve, ...
    std::string action;  // "[NOTFOUND=return]" as written behind it, or ""
    // Whether a name that this service does not know is not looked for in the services behind it.
    bool not_found_ends() const;
};

// The services of nsswitch.conf's `hosts:` line, in order; empty where there is no such line.
std::vector<HostsService> hosts_services(std::string_view nsswitch);

struct ResolverConfig {
    std::vector<Address> servers;     // glibc asks the first three (MAXNS)
    std::vector<std::string> search;  // the last `search` or `domain` line holds
    unsigned ndots = 1;
};

ResolverConfig resolver_config(std::string_view resolv_conf);

// Whether two names are the same but for case and a last dot.
bool same_name(std::string_view a, std::string_view b);

}  // namespace diag::probe
