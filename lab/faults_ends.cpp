// Faults that only both ends together show: a and b log in to each other, and compare.  b's cable to a has 10.10.10.12.
#include "lab/faults.hpp"

namespace diag::lab {
namespace {

using Steps = std::vector<Step>;

const std::string mended_group = "77";  // what `mend` deletes by (build.cpp)

Step at(const std::string& node, const Argv& argv) { return {node, argv, {}}; }

Steps together(const std::vector<Steps>& lists) {
    Steps all;
    for (const Steps& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
}

// Renames an interface of b; going down costs it its IPv6 addresses, and older kernels rename nothing that is up.
Steps rename_on_b(const std::string& from, const std::string& to) {
    return {at("b", {"ip", "link", "set", "dev", from, "down"}), at("b", {"ip", "link", "set", "dev", from, "name", to})};
}

Steps up_on_b(const std::string& interface, const std::string& v6) {
    return {at("b", {"ip", "link", "set", "dev", interface, "up"}),
            at("b", {"ip", "-6", "addr", "replace", v6 + "/64", "dev", interface, "nodad"})};
}

const std::string cable6 = "fd1a:b0:0:10::12", house6 = "fd1a:b0:0:1::12";

// One more interface, with a cable that ends in the same node.
Steps one_more(const std::string& node, const std::string& address) {
    return {at(node, {"ip", "link", "add", "name", "second", "group", mended_group, "type", "veth", "peer", "name", "second-far", "group",
                      mended_group}),
            at(node, {"ip", "link", "set", "dev", "second-far", "up"}), at(node, {"ip", "addr", "add", address, "dev", "second"}),
            at(node, {"ip", "link", "set", "dev", "second", "up"})};
}

Steps docker_on(const std::string& node) {
    return {at(node, {"ip", "link", "add", "name", "docker0", "group", mended_group, "type", "bridge"}),
            at(node, {"ip", "addr", "add", "172.17.0.1/16", "dev", "docker0"}), at(node, {"ip", "link", "set", "dev", "docker0", "up"})};
}

// A second interface of b on the same cable, which keeps to its own addresses and so disturbs nobody.
Steps quiet_second() {
    return {at("b", {"ip", "link", "add", "name", "second", "link", "direct", "group", mended_group, "type", "macvlan", "mode", "bridge"}),
            at("b", {"sysctl", "ipv4/conf/second/arp_ignore", "1"}), at("b", {"ip", "link", "set", "dev", "second", "up"})};
}

std::vector<Fault> of_settings() {
    return {
        {"near-1500",
         "a's direct interface is set to 1500",
         "ends",
         "link.mtu-differs",
         "",
         {at("a", {"ip", "link", "set", "dev", "direct", "mtu", "1500"})}},
        {"far-1500",
         "b's direct interface is set to 1500",
         "ends",
         "link.mtu-differs",
         "",
         {at("b", {"ip", "link", "set", "dev", "direct", "mtu", "1500"})}},
        {"far-second-1500", "another interface of b is set to 1500", "", "", "link.mtu-differs", one_more("b", "10.10.78.112/24")},
    };
}

std::vector<Fault> of_wiring() {
    return {
        {"far-swapped", "b's two interfaces have each other's name", "ends", "link.wired-elsewhere", "",
         together({rename_on_b("direct", "swap"), rename_on_b("house", "direct"), rename_on_b("swap", "house"), up_on_b("direct", house6),
                   up_on_b("house", cable6)})},
        {"far-two-on-one", "b has a second interface on the cable to a, beside the planned one", "", "", "link.wired-elsewhere",
         quiet_second()},
        {"far-renamed", "b's direct interface has another name than in the site file", "ends", "link.end-absent", "",
         together({rename_on_b("direct", "fast"), up_on_b("fast", cable6)})},
        {"far-altname", "b's direct interface has another name, and the planned one as an alternative", "", "", "link.end-absent",
         together({rename_on_b("direct", "fast"),
                   {at("b", {"ip", "link", "property", "add", "dev", "fast", "altname", "direct"})},
                   up_on_b("fast", cable6)})},
    };
}

std::vector<Fault> of_addresses() {
    return {
        {"address-on-both", "a and b have a second interface each, both with one address", "ends", "link.address-on-both", "",
         together({one_more("a", "10.10.77.111/24"), one_more("b", "10.10.77.111/24")})},
        {"docker-on-both", "a and b have a bridge for containers each, both with its usual address", "", "", "link.address-on-both",
         together({docker_on("a"), docker_on("b")})},
    };
}

}  // namespace

std::vector<Fault> end_faults() {
    std::vector<Fault> all = of_settings();
    for (const auto& more : {of_wiring(), of_addresses()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace diag::lab
