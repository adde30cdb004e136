// Interfaces, addresses, routes and neighbours of this network namespace, by rtnetlink (libnl-3).
// Throws diag::Absent where the subject does not exist, diag::Unreadable where the kernel would not say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/address.hpp"

namespace diag::probe {

// What the kernel has counted since the interface was made, as a rule since boot (IFLA_STATS64).
struct LinkCounters {
    std::uint64_t rx_packets = 0, tx_packets = 0, rx_errors = 0, tx_errors = 0, rx_dropped = 0, tx_dropped = 0;
};

struct Interface {
    unsigned index = 0;
    std::string name, kind;  // kind: "veth", "bridge", "vlan"...; "" for hardware and loopback
    bool loopback = false;
    bool up = false;            // IFF_UP: the administrator's wish
    bool carrier = false;       // IFF_LOWER_UP: the wire's answer
    std::string operstate;      // RFC 2863 word: up, down, dormant, lowerlayerdown, unknown...
    std::int64_t mtu = 0;       // bytes; 0: a captured tree does not hold it
    std::int64_t ipv6_mtu = 0;  // what IPv6 uses of it (a router advertisement or a sysctl may say less); 0: no IPv6 here
    std::string mac;            // "" where it has none
    std::string permanent_mac;  // the adapter's own (IFLA_PERM_ADDRESS); "" where the kernel gives none, as for veth
    unsigned master = 0;        // index of the bridge or bond it belongs to; 0: none
    unsigned lower = 0;         // index of the interface it stands on (VLAN, macvlan) in this namespace; 0: none
    std::optional<LinkCounters> counters;
    std::optional<std::uint32_t> carrier_changes;
};

struct InterfaceAddress {
    unsigned interface = 0;
    Address address;
    unsigned prefix = 0;                  // bits, of the network that network() is in
    std::optional<Address> far_end = {};  // on a point-to-point link: the prefix belongs to it, and `address` is in no network

    // An address of the network that the prefix makes.
    const Address& network() const { return far_end ? *far_end : address; }
    bool holds(const Address& other) const { return in_prefix(other, network(), prefix); }
    // "10.0.0.1/24", "10.0.0.1 peer 10.9.0.5/24": as `ip addr` writes it.
    std::string text() const;
};

// What the kernel would do with a packet to `destination`.
struct Route {
    unsigned interface = 0;  // index of the output interface
    std::string interface_name;
    std::optional<Address> gateway, source;
    std::optional<std::int64_t> mtu;  // RTAX_MTU of the route itself, bytes
    bool mtu_locked = false;
    bool local = false;  // RTN_LOCAL: the address is this machine's own
    std::string type;    // unicast, local, broadcast, anycast, multicast
};

struct Neighbour {
    std::string state;  // reachable, stale, delay, probe, failed, incomplete, permanent, noarp
    std::string mac;    // "" where unresolved
};

std::vector<Interface> interfaces();
// By name or alternative name; Absent suggests the nearest name there is.
Interface interface(const std::string& name);
Interface interface(unsigned index);
std::vector<InterfaceAddress> addresses();
// The interface that has the addresses of that one: the bridge, bond or team that it is a member of, or itself.  Traffic by the one is
// traffic by the other, and routes and sockets know the upper one only.  (A VRF is a master, too, and takes nobody's addresses.)
Interface bearer_of(Interface link);

// RTM_GETROUTE.  `output` asks for the route through that interface (index; 0: any).  A destination with no
// route, or with one that refuses (unreachable, prohibit, blackhole), is nothing.  `fib_match` reads the route
// entry itself (its own MTU), not the cached exception.  For IPv4 with `output` and no route there, the kernel
// assumes that the destination is on that link; with `fib_match` as well it is nothing.
std::optional<Route> route_to(const Address& destination, unsigned output = 0, bool fib_match = false);
// The same for a packet that comes from `source`, an address of this machine: rules by source come in (ip-rule(8)).
std::optional<Route> route_from(const Address& source, const Address& destination, bool fib_match = false);
// What a program gets that leaves the source to the kernel.  For IPv4 connect() looks the route up, takes the source that it gives, and
// looks up again with it, so that rules by source address count (ip_route_connect() in include/net/route.h).  For IPv6 the first answer
// holds (ip6_dst_lookup_tail() in net/ipv6/ip6_output.c).
std::optional<Route> program_route(const Address& destination, bool fib_match = false);
// What a rule by source address makes of the way that the route alone would give, as the end of a sentence about `way`, which
// program_route() gave; "" where none does.
std::string source_rule(const Address& destination, const std::optional<Route>& way);

// The neighbour entry for an on-link address, where the kernel has one.
std::optional<Neighbour> neighbour(const Address& address, unsigned interface_index);

}  // namespace diag::probe
