// Faults of frame size, all on the cable of a (10.10.10.11) and b (10.10.10.12), which carries 9000 bytes when whole.
#include "lab/build.hpp"
#include "lab/faults.hpp"
#include "lab/namespaces.hpp"

namespace diag::lab {
namespace {

using Steps = std::vector<Step>;

const std::string a4 = "10.10.10.11", b4 = "10.10.10.12", router_a4 = "10.10.10.1", router_b4 = "10.10.10.2";
const std::string a6 = "fd1a:b0:0:10::11", b6 = "fd1a:b0:0:10::12", router_a6 = "fd1a:b0:0:10::1", router_b6 = "fd1a:b0:0:10::2";

Step set_mtu(const std::string& part, const std::string& interface, const std::string& mtu) {
    return {part, {"ip", "link", "set", "dev", interface, "mtu", mtu}, {}};
}

// What a switch port must be set to for frames of 1500 bytes to be the largest that pass: veth and the bridge leave room for
// a VLAN tag of 4 bytes (Linux include/linux/netdevice.h, __is_skb_forwardable).
const std::string port_1500 = "1496";

// A route of its own to one address of the other node, with an MTU of its own.
Steps route_mtu(const std::string& part, const std::string& to4, const std::string& to6, const std::string& mtu) {
    return {{part, {"ip", "route", "replace", to4 + "/32", "dev", "direct", "mtu", mtu}, {}},
            {part, {"ip", "-6", "route", "replace", to6 + "/128", "dev", "direct", "mtu", mtu}, {}}};
}

// Takes one switch port out of the bridge and makes it a port of the router, with the router's addresses on that side.
Steps router_port(const std::string& port, const std::string& own4, const std::string& own6) {
    return {{"direct", {"ip", "link", "set", "dev", port, "netns", namespace_of("router")}, {}},
            shape("router", port, 4),
            {"router", {"ip", "addr", "add", own4 + "/32", "dev", port}, {}},
            {"router", {"ip", "-6", "addr", "add", own6 + "/128", "dev", port, "nodad"}, {}},
            {"router", {"ip", "link", "set", "dev", port, "up"}, {}}};
}

// How the router reaches one node, and what it lets through on that hop.  Locked: only then is IPv6 held to it as well.
Steps hop(const std::string& verb, const std::string& port, const std::string& to4, const std::string& to6, const std::string& mtu) {
    return {{"router", {"ip", "route", verb, to4 + "/32", "dev", port, "mtu", "lock", mtu}, {}},
            {"router", {"ip", "-6", "route", verb, to6 + "/128", "dev", port, "mtu", "lock", mtu}, {}}};
}

Steps hops(const std::string& verb, const std::string& mtu) {
    Steps steps = hop(verb, "ab-a", a4, a6, mtu);
    for (const Step& step : hop(verb, "ab-b", b4, b6, mtu)) steps.push_back(step);
    return steps;
}

Steps by_way_of(const std::string& node, const std::string& to4, const std::string& to6, const std::string& router4,
                const std::string& router6) {
    return {{node, {"ip", "route", "add", to4 + "/32", "via", router4, "dev", "direct"}, {}},
            {node, {"ip", "-6", "route", "add", to6 + "/128", "via", router6, "dev", "direct"}, {}}};
}

Steps joined(const std::vector<Steps>& lists) {
    Steps all;
    for (const Steps& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
}

// A router takes the place of the direct switch; both nodes keep their addresses and interfaces.
Steps routed(const std::string& mtu) {
    return joined({{{"", {"ip", "netns", "add", namespace_of("router")}, {}}},
                   router_settings(),
                   router_port("ab-a", router_a4, router_a6),
                   router_port("ab-b", router_b4, router_b6),
                   hops("add", mtu),
                   by_way_of("a", b4, b6, router_a4, router_a6),
                   by_way_of("b", a4, a6, router_b4, router_b6)});
}

// The router's own "too big" never leaves it.
const Steps silence{{"router",
                     {"nft", "-f", "-"},
                     "table inet lab { chain output { type filter hook output priority 0;\n"
                     "icmp type destination-unreachable drop\nicmpv6 type packet-too-big drop\n}\n}\n"}};

std::vector<Fault> of_frame_sizes() {
    return {
        {"bridge-1500",
         "a switch port between a and b carries 1500 bytes, and says nothing",
         "mtu",
         "mtu.path-smaller",
         "",
         {set_mtu("direct", "ab-b", port_1500)}},
        {"bridge-9216",
         "the switch ports carry more than they need to",
         "",
         "",
         "mtu.path-smaller",
         {set_mtu("direct", "ab-a", "9216"), set_mtu("direct", "ab-b", "9216")}},
    };
}

std::vector<Fault> of_routes() {
    return {
        {"route-1500", "a's own route to b is limited to 1500", "mtu", "mtu.route-smaller", "", route_mtu("a", b4, b6, "1500")},
        {"route-9000", "a's own route to b states the full size", "", "", "mtu.route-smaller", route_mtu("a", b4, b6, "9000")},
        {"return-smaller", "b's route back to a is limited to 1500", "mtu", "mtu.return-smaller", "", route_mtu("b", a4, a6, "1500")},
        {"return-9000", "b's route back to a states the full size", "", "", "mtu.return-smaller", route_mtu("b", a4, a6, "9000")},
    };
}

std::vector<Fault> of_routers() {
    return {
        {"router-answers", "a router between a and b has a 1500-byte hop, and says so", "mtu", "mtu.router-smaller", "", routed("1500")},
        {"router-9000", "a router between a and b carries the full size", "", "", "mtu.router-smaller", routed("9000")},
        {"router-healed", "a router's 1500-byte hop carries 9000 now; a still remembers, and answers b in fragments", "mtu",
         "mtu.return-smaller", "",
         joined({routed("1500"), {{"a", {"learn", b4, "4000"}, {}}, {"a", {"learn", b6, "4000"}, {}}}, hops("replace", "9000")})},
        {"router-filters", "a router has a 1500-byte hop, and a filter drops what it would say about it", "mtu", "mtu.black-hole", "",
         joined({routed("1500"), silence})},
        {"router-silent", "a router has the same filter, and carries the full size", "", "", "mtu.black-hole",
         joined({routed("9000"), silence})},
    };
}

}  // namespace

std::vector<Fault> mtu_faults() {
    std::vector<Fault> all = of_frame_sizes();
    for (const auto& more : {of_routes(), of_routers()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace diag::lab
