// Faults of links and of the routes over them, all on node a, whose cable to b has 10.10.10.11/24.
#include "lab/faults.hpp"

namespace diag::lab {
namespace {

using Steps = std::vector<Step>;

const std::string lab_group = "77";  // what `mend` deletes by (build.cpp)

Step on_a(const Argv& argv) { return {"a", argv, {}}; }

Step cable_of_a(const std::string& state) { return {"direct", {"ip", "link", "set", "dev", "ab-a", state}, {}}; }

// One more interface of a, with a cable that ends in a as well.
Steps second_interface(const std::string& address) {
    return {
        on_a({"ip", "link", "add", "name", "second", "group", lab_group, "type", "veth", "peer", "name", "second-far", "group", lab_group}),
        on_a({"ip", "link", "set", "dev", "second-far", "up"}), on_a({"ip", "addr", "add", address, "dev", "second"}),
        on_a({"ip", "link", "set", "dev", "second", "up"})};
}

// As Docker leaves it: a bridge without members.
Steps container_bridge(const std::string& address) {
    return {on_a({"ip", "link", "add", "name", "docker0", "group", lab_group, "type", "bridge"}),
            on_a({"ip", "addr", "add", address, "dev", "docker0"}), on_a({"ip", "link", "set", "dev", "docker0", "up"})};
}

std::vector<Fault> of_cables() {
    return {
        {"cable-out", "a's own cable to b is pulled out", "reachability", "link.no-carrier", "", {cable_of_a("down")}},
        {"cable-back", "a's cable was out, and is back", "", "", "link.no-carrier", {cable_of_a("down"), cable_of_a("up")}},
    };
}

std::vector<Fault> of_prefixes() {
    return {
        {"two-in-one-subnet", "a has a second interface in the prefix of its cable to b", "reachability", "link.same-prefix", "",
         second_interface("10.10.10.111/24")},
        {"two-in-two-subnets", "a has a second interface, in a prefix of its own", "", "", "link.same-prefix",
         second_interface("10.10.77.111/24")},
        {"docker-in-the-way", "a bridge for containers on a uses the prefix of its cable to b", "reachability", "link.container-bridge", "",
         container_bridge("10.10.10.1/24")},
        {"docker-elsewhere", "a bridge for containers on a uses a prefix that no link has", "", "", "link.container-bridge",
         container_bridge("172.17.0.1/16")},
    };
}

std::vector<Fault> of_filters() {
    const Step strict = on_a({"sysctl", "ipv4/conf/direct/rp_filter", "1"});
    return {
        {"rp-filter",
         "a's route to b leads over the house, and a filters strictly what comes over the cable",
         "reachability",
         "link.rp-filter",
         "",
         {strict, on_a({"ip", "route", "add", "10.10.10.12/32", "dev", "house"})}},
        {"rp-strict", "a filters strictly, and its routes are right", "", "", "link.rp-filter", {strict}},
    };
}

// A second MAC on b's end of the cable: as Linux does unless arp_ignore says otherwise, it answers for all of b's addresses.
Steps second_mac(const std::string& mac) {
    return {
        {"b",
         {"ip", "link", "add", "name", "second", "link", "direct", "group", lab_group, "address", mac, "type", "macvlan", "mode", "bridge"},
         {}},
        {"b", {"ip", "link", "set", "dev", "second", "up"}, {}}};
}

std::vector<Fault> of_owners() {
    return {
        {"address-twice", "a second one on the cable answers for b's address", "reachability", "link.address-twice", "",
         second_mac("02:00:00:00:00:77")},
        {"virtual-router", "a virtual router's MAC (VRRP) answers for b's address beside b's own", "", "", "link.address-twice",
         second_mac("00:00:5e:00:01:07")},
    };
}

}  // namespace

std::vector<Fault> link_faults() {
    std::vector<Fault> all = of_cables();
    for (const auto& more : {of_prefixes(), of_filters(), of_owners()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace diag::lab
