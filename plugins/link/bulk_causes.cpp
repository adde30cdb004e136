#include "bulk.hpp"

namespace diag::bulk {
namespace {

void declare_subject(Check& check) {
    check
        .cause("link.bulk-no-interface", mover::configuration, "The interface is not there.",
               "ip -br link; then correct the interface in the site file")
        .cause("link.bulk-unresolved", mover::configuration, "The name has no address.", "diag check names.resolve name={name}")
        .cause("link.bulk-own-address", mover::configuration, "The far end's address is this machine's own: no byte would leave it.",
               "ip -br address; then correct the name or the address in the site file; interface=lo measures this machine")
        .cause("link.bulk-unroutable", mover::configuration, "No route leads to the address, or nobody on the link has it.",
               "ip route get {address}; then: diag check names.reach name={name}")
        .cause(
            "link.bulk-other-interface", mover::configuration,
            "The bytes took another interface than the one that is meant: two interfaces in one network, or a route that leads elsewhere.",
            "ip route get {address} from {source}; give each link a prefix of its own, so that {interface} is the only way");
}

void declare_server(Check& check) {
    check
        .cause("link.bulk-no-server", mover::owner, "No iperf3 server listens at the far end.",
               "diag peers says whether diag can start one there; else, on {name}: iperf3 --server")
        .cause("link.bulk-not-its-address", mover::configuration, "The far machine does not have the address that the site file gives it.",
               "ip -br address, there; then correct the site file, or set the address")
        .cause("link.bulk-memory", mover::configuration, "The load could exhaust a machine's memory, and was not made.",
               "fewer streams: --set streams=1; or smaller buffers: sysctl net.ipv4.tcp_rmem net.ipv4.tcp_wmem")
        .cause("link.bulk-busy", mover::owner, "The iperf3 server at the far end is in somebody else's test.",
               "on {name}: ss -tnp sport = :{port} shows who; run this again when that test is over")
        .cause("link.bulk-no-answer", mover::configuration,
               "The port of the iperf3 server is not answered: a firewall drops it, at either end.",
               "on both machines: nft list ruleset (input and output); let TCP {ports} through between {source} and {address} on that "
               "link; or "
               "on {name}: iperf3 --server --port PORT, for a port that is let in, and give it as port=")
        .cause("link.bulk-broken", mover::owner, "The iperf3 server, or the connection to it, ended in the middle of the test.",
               "on {name}: see whether iperf3 still runs, and what ended it: journalctl -k --grep 'iperf3|Out of memory|Link is'")
        .cause("link.bulk-stalled", mover::configuration,
               "The connection stood and carried nothing: large packets vanish, or the link went away during the test.",
               "diag check mtu.path name={name} mtu=9000; ip -s link show {interface} at both ends");
}

void declare_rates(Check& check) {
    check
        .cause("link.bulk-flapped", mover::hardware, "The link lost its carrier during the test: it comes and goes under load.",
               "on {where}: journalctl -k --grep 'Link is|link is'; ethtool -S {interface}, at both ends; then another cable, another "
               "transceiver, another switch port")
        .cause(
            "link.bulk-slow", mover::hardware, "Both directions carry less than the floor.",
            "at both ends: ethtool {interface}; ethtool -S {interface}; tc -s qdisc show dev {interface}; lspci -vv, LnkSta of the adapter")
        .cause("link.bulk-floor-too-high", mover::configuration, "The floor is a rate that no link of this speed can carry.",
               "give the floor as a share, such as 80%; or correct the link's speed in the site file")
        .cause("link.bulk-slow-one-way", mover::hardware, "One direction carries less than the floor, the other does not.",
               "look at the end that sends {direction} {name}: tc -s qdisc show; ethtool -S, at both ends, for errors and pauses")
        .cause("link.bulk-cpu-bound", mover::software,
               "The rate is below the floor because the processors were full, not because the link was: the test measured a machine.",
               "see what else runs: top; spread receiving over the processors: /sys/class/net/{interface}/queues/rx-*/rps_cpus; "
               "a larger MTU costs them less")
        .cause("link.bulk-lossy", mover::hardware, "Many segments are lost on the way and sent again.",
               "ip -s link show {interface} and ethtool -S {interface} at both ends: errors point at cable or optic, drops at congestion")
        .cause("link.bulk-unjudged", mover::configuration, "The rates were measured, and nothing says how high they should be.",
               "give the link speed or expect in the site file, or the check a floor such as 20Gbit");
}

}  // namespace

void declare_bulk_faults(Check& check) {
    declare_subject(check);
    declare_server(check);
}

void declare_bulk_causes(Check& check) {
    declare_bulk_faults(check);
    declare_rates(check);
}

}  // namespace diag::bulk
