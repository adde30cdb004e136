#include "lab/build.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.hpp"
#include "lab/files.hpp"
#include "lab/namespaces.hpp"

namespace diag::lab {
namespace {

const std::vector<std::string> switches{"house", "direct"};
const std::string link_group = "77";  // marks the lab's interfaces; one request deletes them all

// A new namespace may inherit the machine's own settings (net.core.devconf_inherit_init_net); these are the kernel's.
std::vector<Step> common_settings(const std::string& part, const std::string& forwards) {
    return {{part, {"sysctl", "ipv4/ip_forward", forwards}, {}},
            {part, {"sysctl", "ipv4/conf/all/rp_filter", "0"}, {}},
            {part, {"sysctl", "ipv4/conf/default/rp_filter", "0"}, {}},
            {part, {"sysctl", "ipv6/conf/all/disable_ipv6", "0"}, {}},
            {part, {"sysctl", "ipv6/conf/default/disable_ipv6", "0"}, {}},
            {part, {"sysctl", "ipv6/conf/all/forwarding", forwards}, {}},
            {part, {"sysctl", "ipv6/conf/default/accept_ra", "0"}, {}},
            {part, {"sysctl", "ipv6/conf/default/accept_dad", "0"}, {}},  // addresses are ours alone, and usable at once
            {part, {"ip", "link", "set", "dev", "lo", "up"}, {}}};
}

// A switch has no addresses of its own; br_netfilter (loaded by Docker) must not meddle with what it forwards.
std::vector<Step> switch_settings(const std::string& part) {
    return {{part, {"sysctl", "ipv6/conf/all/disable_ipv6", "1"}, {}},
            {part, {"sysctl", "ipv6/conf/default/disable_ipv6", "1"}, {}},
            {part, {"sysctl", "bridge/bridge-nf-call-iptables", "0"}, {}},
            {part, {"sysctl", "bridge/bridge-nf-call-ip6tables", "0"}, {}},
            {part, {"sysctl", "bridge/bridge-nf-call-arptables", "0"}, {}}};
}

void append(std::vector<Step>& to, const std::vector<Step>& more) { to.insert(to.end(), more.begin(), more.end()); }

std::vector<Step> settings(const Topology& lab) {
    std::vector<Step> steps;
    for (const std::string& part : switches) append(steps, switch_settings(part));
    for (const std::string& node : lab.nodes) append(steps, node_settings(node));
    return steps;
}

// veth would carry a GSO super-packet through any smaller MTU, and an MTU fault would not show.
Step no_offloads(const std::string& part, const std::string& interface) {
    return {part, {"ethtool", "-K", interface, "tso", "off", "gso", "off", "gro", "off"}, {}};
}

// One request makes both ends, each in its own place: nothing of it ever exists among the machine's own interfaces.
Step veth(const Wire& wire, const End& end) {
    Argv argv{"ip", "link", "add", "name", end.port, "address", end.port_mac};
    const Argv both{"group", link_group, "mtu", std::to_string(wire.mtu)};
    const Argv peer{"type", "veth", "peer", "name", end.interface, "netns", namespace_of(end.node), "address", end.mac};
    for (const Argv* more : {&both, &peer, &both}) argv.insert(argv.end(), more->begin(), more->end());
    return {wire.network, argv, {}};
}

std::vector<Step> end_steps(const Wire& wire, const End& end) {
    const std::string &at = wire.network, &node = end.node, &port = end.port, &interface = end.interface;
    return {veth(wire, end),
            no_offloads(at, port),
            no_offloads(node, interface),
            shape(at, port, wire.gbit),
            shape(node, interface, wire.gbit),
            {at, {"ip", "link", "set", "dev", port, "master", wire.bridge, "up"}, {}},
            {node, {"ip", "addr", "add", fmt::format("{}/{}", end.v4, prefix4), "dev", interface}, {}},
            {node, {"ip", "-6", "addr", "add", fmt::format("{}/{}", end.v6, prefix6), "dev", interface, "nodad"}, {}},
            {node, {"ip", "link", "set", "dev", interface, "up"}, {}}};
}

// All of the lab's interfaces that are in this part, whatever they are called by now; the far ends of cables go with them.
void remove_wires(const std::string& part) {
    const Inside inside(part);
    if (run({"ip", "link", "show", "group", link_group}).empty()) return;  // deleting an empty group is an error
    run({"ip", "link", "del", "group", link_group});
}

void remove_rules_and_routes(const std::string& part) {
    apply({{part, {"nft", "flush", "ruleset"}, {}},
           // `flush` fails on a table that never held a route ("FIB table does not exist"); it takes this one along.
           {part, {"ip", "route", "replace", "unreachable", "192.0.2.1/32"}, {}},
           {part, {"ip", "route", "flush", "table", "main"}, {}},
           {part, {"ip", "-6", "route", "flush", "table", "main"}, {}}});
}

void write_node_files(const Topology& lab) {
    const char* const own = "/etc/nsswitch.conf";
    const std::string nsswitch = nsswitch_with_files_only(std::filesystem::exists(own) ? base::read_file(own, 1 << 20) : "");
    for (const std::string& node : lab.nodes) {
        write_node_file(node, "hosts", hosts_file(lab));
        write_node_file(node, "nsswitch.conf", nsswitch);
        write_node_file(node, "resolv.conf", "# no name server: the lab's names are in /etc/hosts\n");
    }
}

}  // namespace

std::vector<Step> node_settings(const std::string& node) {
    std::vector<Step> steps = common_settings(node, "0");
    steps.push_back({node, {"sysctl", "ipv4/ping_group_range", "0 2147483647"}, {}});  // systemd's default
    steps.push_back(
        {node, {"sysctl", "ipv4/tcp_congestion_control", "reno"}, {}});  // every kernel has and allows it; others bear more loss
    return steps;
}

std::vector<Step> router_settings() { return common_settings("router", "1"); }

std::vector<Step> namespace_steps(const Topology& lab) {
    std::vector<Step> steps;
    for (const auto* parts : {&switches, &lab.nodes})
        for (const std::string& part : *parts) steps.push_back({"", {"ip", "netns", "add", namespace_of(part)}, {}});
    return steps;
}

Step shape(const std::string& part, const std::string& interface, int gbit) {
    // 256 KiB is half a millisecond at 4 Gbit/s, more than the kernel's timer needs; 10 ms is a shallow switch buffer.
    return {part,
            {"tc", "qdisc", "add", "dev", interface, "root", "handle", "1:", "tbf", "rate", fmt::format("{}gbit", gbit), "burst", "256kb",
             "latency", "10ms"},
            {}};
}

std::vector<Step> wire_steps(const Wire& wire) {
    std::vector<Step> steps{
        {wire.network, {"ip", "link", "add", "name", wire.bridge, "group", link_group, "address", wire.bridge_mac, "type", "bridge"}, {}},
        {wire.network, {"ip", "link", "set", "dev", wire.bridge, "up"}, {}}};
    for (const End& end : wire.ends) append(steps, end_steps(wire, end));
    return steps;
}

void renew(const Topology& lab) {
    for (const auto* parts : {&lab.nodes, &switches})
        for (const std::string& part : *parts) remove_wires(part);
    const auto present = lab_namespaces();
    if (std::find(present.begin(), present.end(), namespace_of("router")) != present.end())
        apply({"", {"ip", "netns", "del", namespace_of("router")}, {}});
    for (const auto* parts : {&switches, &lab.nodes})
        for (const std::string& part : *parts) remove_rules_and_routes(part);
    apply(settings(lab));
    write_node_files(lab);
    for (const Wire& wire : lab.wires) apply(wire_steps(wire));
}

}  // namespace diag::lab
