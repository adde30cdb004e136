#include "decide.hpp"

namespace mtu {

using diag::mover::configuration;
using diag::mover::hardware;

namespace {

void declare_subject_causes(diag::Check& check) {
    check.cause("mtu.interface-absent", configuration, "The interface is not there.", "ip link; then correct the name in the site file")
        .cause("mtu.interface-smaller", configuration, "This machine's own interface carries less than intended.",
               "ip link set {interface} mtu {mtu}, from the console or another path")
        .cause("mtu.name-unresolved", configuration, "The name has no address.", "diag check names.resolve name={name}")
        .cause("mtu.own-address", configuration, "The address is this machine's own: nothing leaves it.",
               "correct the address of {name} in the site file, in DNS or in /etc/hosts")
        .cause("mtu.link-local", configuration, "A link-local address means a machine on one link only, and no interface is given.",
               "give the check the interface, or write {address}%INTERFACE")
        .cause("mtu.no-route", configuration, "No route leads to the address.", "ip route get {address}; ip rule")
        .cause("mtu.path-elsewhere", configuration, "The address is reached over another interface than the one meant.",
               "ip route get {address}; ip rule; give each link a prefix of its own, and {name} the address that belongs to {interface}")
        .cause("mtu.no-answer", configuration, "Nothing of any size is answered: reachability comes before size.",
               "diag check names.reach name={name}")
        .cause("mtu.echo-filtered", configuration, "The far end is alive, but ICMP echo to it is dropped, and sizes are measured with it.",
               "let ICMP echo in on the firewall of {name}: nft list ruleset")
        .cause("mtu.blocked-here", configuration, "A firewall of this machine does not let packets of that size out.",
               "nft list ruleset, here");
}

void declare_size_causes(diag::Check& check) {
    check
        .cause("mtu.path-smaller", configuration,
               "A device between the two interfaces carries smaller frames, and drops larger ones in silence.",
               "raise the switch port (9216 is usual), or set both ends to {carries}")
        .cause("mtu.far-interface-smaller", configuration,
               "The far end's TCP segment size stands for a smaller interface; a route's advmss or a firewall can lower that size, too.",
               "on {name}: ip route get {source} names interface and advmss; where it is small, ip link set IT mtu {mtu}; where it has "
               "{mtu} already, look for maxseg in nft list ruleset, and raise the switch port")
        .cause(
            "mtu.path-or-far-smaller", configuration,
            "A device between the two interfaces carries smaller frames, or the far interface does; no TCP port answers to tell which.",
            "on {name}: ip link; where its interface has MTU {mtu}, raise the switch port (9216 is usual), else ip link set IT mtu {mtu}")
        .cause("mtu.router-smaller", configuration, "A router on the path says that its next link carries less.",
               "on the router {router}: raise the MTU of the link towards {address} to {mtu}, or set both ends to {carries}")
        .cause(
            "mtu.black-hole", configuration,
            "Behind a router large packets vanish and no ICMP error comes back: it is filtered, or a device behind that router is silent.",
            "on {last_hop}: let ICMP fragmentation-needed (IPv6: packet-too-big) out, and raise the link towards {address} to {mtu}")
        .cause("mtu.return-smaller", configuration, "The way there carries the intended size, the way back does not.",
               "on {name}: ip link shows its interface's MTU, ip route get {source} its route's and what it has cached")
        .cause(
            "mtu.return-smaller-or-filtered", configuration,
            "The way there carries the intended size, but large echo does not come back: the way back is smaller, or a firewall drops it.",
            "here and on {name}: nft list ruleset, for a rule on the size of echo; then the devices on the way back")
        .cause("mtu.path-or-return-smaller", configuration,
               "Large echo is lost, there or back, and nothing else is answered that tells which.",
               "let UDP to ports 33434 to 33523 be refused by {name} (no firewall rule that drops it), and ask again; or ask from {name}")
        .cause("mtu.route-smaller", configuration, "The path carries the intended size, but this machine's own route is limited.",
               "ip route get fibmatch {address}; take its 'mtu {route_mtu}' out (ip route change), also where it is configured");
    check.cause("mtu.ipv6-smaller", configuration, "The path carries the intended size, but IPv6 uses less on this machine's interface.",
                "sysctl net.ipv6.conf.{interface}.mtu; where a router advertises it (radvd: AdvLinkMTU), correct it there");
}

void declare_loss_causes(diag::Check& check) {
    check
        .cause("mtu.echo-limited", configuration,
               "The far end, or a firewall on the way, limits how often echo is answered, too much to tell a size with it.",
               "on {name}: nft list ruleset, for a limit on ICMP echo; let echo from {source} in without it, and ask again")
        .cause("mtu.path-unclear", hardware, "So much is lost that the largest size cannot be told.",
               "ip -s link show {interface} and ethtool -S {interface}, at both ends: errors point at cable, optic or congestion")
        .cause("mtu.path-lossy", hardware, "The intended size passes, but probes are lost.",
               "ip -s link show {interface} and ethtool -S {interface}, at both ends: errors point at cable, optic or congestion");
}

}  // namespace

void declare_path_causes(diag::Check& check) {
    declare_subject_causes(check);
    declare_size_causes(check);
    declare_loss_causes(check);
}

}  // namespace mtu
