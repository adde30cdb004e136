#include "family.hpp"

#include <algorithm>

#include "topology_judge.hpp"

namespace diag::link {
namespace {

constexpr int deepest = 8;  // what stands on what; the kernel allows as many (MAX_NEST_DEV, <linux/netdevice.h>)

bool keeps_apart(const std::string& kind) { return kind == "bridge" || kind == "vrf" || kind == "openvswitch" || kind == "ovs-system"; }

// The interface at the bottom that the MAC belongs to.
const Seen& origin(const Machine& machine, const Seen& seen) {
    const Seen* at = &seen;
    for (int i = 0; i < deepest; ++i) {
        const Seen* lower = at->interface.kind == "veth" ? nullptr : machine.find(at->interface.lower);
        const Seen* master = machine.master_of(*at);
        const bool joined = master != nullptr && !keeps_apart(master->interface.kind);  // bond, team, failover
        if (lower != nullptr && lower != at)
            at = lower;
        else if (joined && master != at)
            at = master;
        else
            return *at;
    }
    return *at;
}

// A bridge takes the MAC of one of its ports, which may be a VLAN's, and so that of what the VLAN stands on.
bool bridge_over(const Machine& machine, const Seen& bridge, const Seen& bottom) {
    const auto ports = bridge.interface.kind == "bridge" ? machine.members_of(bridge) : std::vector<const Seen*>{};
    return std::any_of(ports.begin(), ports.end(), [&](const Seen* port) { return &origin(machine, *port) == &bottom; });
}

}  // namespace

bool own_mac(const std::string& mac) {
    constexpr std::size_t ethernet = 17;
    return mac.size() == ethernet && mac != "00:00:00:00:00:00" && mac != "ff:ff:ff:ff:ff:ff" && !virtual_router(mac);
}

bool one_family(const Machine& machine, const Seen& one, const Seen& other) {
    const Seen &a = origin(machine, one), &b = origin(machine, other);
    return &a == &b || bridge_over(machine, a, b) || bridge_over(machine, b, a);
}

bool leads_outside(const Machine& machine, const Seen& seen, const std::vector<std::string>& links) {
    const probe::Interface& link = seen.interface;
    if (std::find(links.begin(), links.end(), link.name) != links.end()) return true;
    if (seen.hardware() || link.kind == "bond" || link.kind == "team") return true;
    const Seen* lower = link.kind == "vlan" ? machine.find(link.lower) : nullptr;
    return lower != nullptr && lower != &seen && leads_outside(machine, *lower, links);
}

}  // namespace diag::link
