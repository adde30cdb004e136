#include "link.hpp"
#include "topology_judge.hpp"

namespace diag::link {
namespace {

Verdict check_topology(Context& c) {
    const auto text = [&](const char* name) { return c.given(name) ? std::optional(c.text(name)) : std::nullopt; };
    const auto world = system_world(c.root());
    return judge_topology(
               {c.text("interface"), text("address"), text("peer"), c.given("links") ? c.list("links") : std::vector<std::string>{}},
               *world)
        .tell(c);
}

void declare_topology_causes(Check& check) {
    check
        .cause(
            "link.bridge-joins-links", mover::configuration,
            "A bridge has two links in it: two networks leak into each other, and where they meet again elsewhere, frames circle for ever.",
            "bridge link show; from the console or another path: ip link set {member} nomaster; and take the bridge out of the network "
            "configuration, or it is made anew at the next boot. Route between links instead")
        .cause(
            "link.address-twice", mover::configuration, "Two answer for one address on the link: traffic goes to the one or to the other.",
            "find the machine with the MAC {mac} (ip -br link on each, or the switch's table) and give it another address than {address}; "
            "where it is one machine with two interfaces in this network, give them a prefix each, or set its arp_ignore to 1")
        .cause(
            "link.profile-without-cable", mover::configuration,
            "A network profile is bound to a port without a cable, and the port with the cable has no profile.",
            "bind the profile {profile} ({file}) to {cabled} instead of {bound}, or move the cable; the ports themselves are not broken");
}

}  // namespace

void declare_mac_twice(Check& check) {
    check.cause(
        "link.mac-twice", mover::configuration,
        "Two interfaces have one MAC: a switch between them sends their frames to the one or to the other.",
        "ip -br link, at both ends; remove the cloned MAC ({mac}) from the network configuration, or from the copied virtual machine");
}

void declare_topology(Plugin& plugin) {
    Check& check =
        plugin.check("topology", "The interface is joined to nothing else, and nobody else claims its addresses", check_topology);
    check.param_or_skip("interface", type::text, "interface name as in `ip link`")
        .optional("address", type::text, "this machine's own address on the link: whether somebody else answers for it")
        .optional("peer", type::text, "the far end's address: whether two answer for it")
        .optional("links", type::list,
                  "more interfaces that must not be bridged with it; adapters, bonds and their VLANs need not be named")
        .on_absent("link.absent")
        .takes(2)
        .side_by_side();
    declare_absent(check);
    declare_mac_twice(check);
    declare_topology_causes(check);
}

}  // namespace diag::link
