#include "bond_judge.hpp"
#include "link.hpp"

namespace diag::link {
namespace {

Verdict check_bond(Context& c) {
    const auto world = system_world(c.root());
    return judge_bond({c.text("interface"), c.given("lanes") ? std::optional(c.integer("lanes")) : std::nullopt}, *world).tell(c);
}

void declare_lacp_causes(Check& check) {
    check
        .cause(
            "link.bond-no-partner", mover::configuration,
            "Nobody at the other end of the bond speaks LACP: one lane at most carries traffic. The other end has to move.",
            "at the switch, put the ports of {interface} into one LACP group (802.3ad); at another machine, make a bond of mode 802.3ad. "
            "cat /proc/net/bonding/{interface} shows when a partner answers")
        .cause("link.bond-lane-silent", mover::configuration,
               "On one lane of the bond nobody speaks LACP, and on the others somebody does. The other end has to move.",
               "at the other end, put the port of {member} into the same LACP group; or plug {member} into a port that is in it")
        .cause("link.bond-split", mover::owner,
               "Lanes of one bond are in different aggregators: they lead to different machines or groups, and those of one alone carry "
               "traffic.",
               "cat /proc/net/bonding/{interface}: compare the partner's MAC and key of each lane; bring all cables to one switch (or one "
               "MLAG pair), and their ports into one group")
        .cause(
            "link.bond-churn", mover::configuration,
            "A lane is in the bond's aggregator, and the two ends do not agree that it carries traffic.",
            "look at {side}: cat /proc/net/bonding/{interface}, and the switch's LACP state of the port; LACP rate, key and group must fit "
            "at both ends");
}

void declare_lane_causes(Check& check) {
    check
        .cause("link.bond-none", mover::configuration, "A bond is planned, and the interface is none.",
               "ip -details link show {interface}; make the bond in the network configuration, or correct the site file")
        .cause("link.bond-lanes", mover::configuration, "The bond has fewer members than lanes are planned.",
               "ip link show master {interface}; add the missing members in the network configuration")
        .cause("link.bond-speeds", mover::configuration, "The lanes of a bond run at different speeds.",
               "ethtool {member}; bring all ports of {interface} to one speed, at both ends")
        .cause("link.bond-mtu", mover::configuration, "A bond and its members have different MTUs.",
               "ip link show master {interface}; give the bond its MTU in the network configuration: its members follow")
        .cause("link.bond-unwatched", mover::configuration, "The bond does not watch its lanes: a dead one is used on.",
               "ip link set {interface} type bond miimon 100; and in the network configuration");
}

}  // namespace

void declare_bond(Plugin& plugin) {
    Check& check = plugin.check("bond", "Every lane of a bond carries traffic, and both ends agree on it", check_bond);
    check.param_or_skip("interface", type::text, "the bond, as in `ip link`; skipped where it is no bond and no lanes are planned")
        .optional("lanes", type::integer, "how many lanes the bond must have, all of them up")
        .within(1, 64)
        .on_absent("link.absent")
        .side_by_side();
    declare_absent(check);
    declare_down(check);
    declare_member_down(check);
    declare_lane_causes(check);
    declare_lacp_causes(check);
}

}  // namespace diag::link
