#include "link.hpp"
#include "state_judge.hpp"

namespace diag::link {
namespace {

Verdict check_state(Context& c) {
    const auto text = [&](const char* name) { return c.given(name) ? std::optional(c.text(name)) : std::nullopt; };
    const auto world = system_world(c.root());
    const StateQuestion question{c.text("interface"), c.given("speed") ? std::optional(c.rate("speed")) : std::nullopt, text("mac"),
                                 text("path")};
    return judge_state(question, *world).tell(c);
}

void declare_identity_causes(Check& check) {
    declare_absent(check);
    check
        .cause("link.renamed", mover::configuration, "The planned adapter is here, under another name.",
               "write {found} for {interface} in the site file and in the network configuration, or bind the old name to the MAC "
               "(systemd.link)")
        .cause("link.other-adapter", mover::configuration, "The name belongs to another adapter than the planned one: names have moved.",
               "ip -br link; the planned adapter is called {found}; correct the site file, or bind the names to MACs (systemd.link)");
}

void declare_carrier_causes(Check& check) {
    declare_down(check);
    check
        .cause("link.no-carrier", mover::owner, "The interface is switched on, and nothing is heard on the wire.",
               "plug the cable in at both ends, and see that the far end is switched on; then: ethtool {interface}")
        .cause("link.carrier-elsewhere", mover::owner, "The configured interface has no cable, and one that is not configured has.",
               "move the cable from {found} to {interface}; or configure {found}, and name it in the site file")
        .cause("link.dormant", mover::configuration,
               "The wire works, and the far end does not let this machine in yet (802.1X, or a radio).",
               "see what authenticates {interface}: networkctl status {interface}, nmcli device show {interface}, or wpa_cli status");
}

void declare_speed_causes(Check& check) {
    check
        .cause("link.half-duplex", mover::configuration,
               "The link is half duplex: one end does not negotiate, and collisions cost most of the speed.",
               "ethtool {interface}; let both ends negotiate (ethtool -s {interface} autoneg on), and the switch port too")
        .cause(
            "link.slower", mover::hardware, "The link is slower than planned.",
            "ethtool {interface}: compare what both ends advertise; then the cable or optic, and the port's speed and FEC at the far end")
        .cause("link.speed-unknown", mover::software, "The link is up, and its driver does not tell its speed.",
               "ethtool {interface}; update the driver or firmware")
        .cause("link.errors-growing", mover::hardware, "The interface counts errors while it is watched.",
               "ethtool -S {interface}, at both ends; clean or replace the cable or optic");
}

}  // namespace

void declare_absent(Check& check) {
    check.cause("link.absent", mover::configuration,
                "No interface of this name is here. That alone does not say that an adapter is broken: some leave the bus while no cable "
                "is plugged in.",
                "ip -br link; correct the name in the site file, or plug the cable in at both ends, or enable the adapter (some are on the "
                "bus only with a cable)");
}

void declare_down(Check& check) {
    check.cause("link.down", mover::configuration, "The interface is switched off.",
                "ip link set {interface} up; and have the network configuration do it at boot");
}

void declare_member_down(Check& check) {
    check.cause("link.member-down", mover::owner, "A bond has lost a member: it carries less, and one more loss ends it.",
                "ethtool {member}; plug in its cable, or ip link set {member} up");
}

void declare_state(Plugin& plugin) {
    Check& check = plugin.check("state", "The interface is there, has carrier, and negotiated its speed", check_state);
    check.param_or_skip("interface", type::text, "interface name as in `ip link`")
        .optional("speed", type::rate, "least speed that it must negotiate")
        .optional("mac", type::text, "permanent MAC of the adapter that the name must belong to")
        .optional("path", type::text, "PCI function of the adapter, such as 0000:01:00.0; for where `mac` is not given")
        .side_by_side();
    declare_identity_causes(check);
    declare_carrier_causes(check);
    declare_speed_causes(check);
    declare_member_down(check);
}

}  // namespace diag::link
