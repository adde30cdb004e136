#include "link.hpp"
#include "routes_judge.hpp"

namespace diag::link {
namespace {

Verdict check_routes(Context& c) {
    const auto text = [&](const char* name) { return c.given(name) ? std::optional(c.text(name)) : std::nullopt; };
    const auto world = system_world(c.root());
    return judge_routes({c.text("interface"), text("address"), text("peer")}, *world).tell(c);
}

void declare_address_causes(Check& check) {
    check
        .cause("link.address-absent", mover::configuration,
               "This machine does not have the address that the site file gives this end of the link.",
               "ip -br addr; give {interface} the address {address} in the network configuration, or correct the site file")
        .cause("link.address-elsewhere", mover::configuration, "The link's own address is on another interface.",
               "ip -br addr; move {address} from {found} to {interface} in the network configuration, or correct the site file")
        .cause("link.peer-own-address", mover::configuration, "The far end's address is one of this machine: nothing leaves it.",
               "ip -br addr; correct the far end's address in the site file, or take it off {found}")
        .cause("link.container-bridge", mover::configuration,
               "A bridge for containers or virtual machines uses the addresses of a link, or of its far end.",
               "ip -br addr show {bridge}; give its network another range (Docker: bip and default-address-pools in daemon.json; libvirt: "
               "virsh net-edit)");
}

void declare_route_causes(Check& check) {
    check
        .cause("link.same-prefix", mover::configuration, "Interfaces are in one prefix, so the kernel cannot tell their links apart.",
               "ip -br addr; give {interface} and {other} a prefix each, instead of {prefix} for all, at both ends")
        .cause("link.peer-no-host", mover::configuration,
               "The far end's address is one that no machine can have: a network's own, a broadcast or a multicast address.",
               "ip -br addr at the far end; correct the far end's address ({peer}) in the site file")
        .cause("link.no-route", mover::configuration, "No route leads to the far end.",
               "ip route get {peer}; give {interface} an address in the prefix of {peer}")
        .cause("link.peer-other-network", mover::configuration,
               "The far end's address is in the network of another interface and in none of this one: an address or an interface is "
               "written wrong.",
               "ip -br addr, here and at the far end; correct in the site file the far end's address ({peer}) or the interface "
               "({interface}); where {peer} is meant, and over this link: a host route to it by {interface}")
        .cause("link.route-elsewhere", mover::configuration, "The far end's address is reached over another interface.",
               "ip route get {peer}; ip rule; remove the route or rule that leads it over {other}, or give the link a prefix of its own")
        .cause(
            "link.rp-filter", mover::configuration,
            "The route back to the far end leads over another interface, and strict reverse-path filtering drops what comes over this one.",
            "ip route get {peer}: bring the route back to {interface}; or, where two ways are meant, sysctl "
            "net.ipv4.conf.{side}.rp_filter=2");
}

}  // namespace

void declare_routes(Plugin& plugin) {
    Check& check = plugin.check("routes", "Traffic of the link takes that link, and no other interface claims its addresses", check_routes);
    check.param_or_skip("interface", type::text, "interface name as in `ip link`")
        .optional("address", type::text, "this machine's own address on the link")
        .optional("peer", type::text, "the far end's address")
        .on_absent("link.absent")
        .side_by_side();
    declare_absent(check);
    declare_address_causes(check);
    declare_route_causes(check);
}

}  // namespace diag::link
