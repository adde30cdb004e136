#include <optional>

#include <diag/declare.hpp>

#include "checks.hpp"
#include "probe/netlink.hpp"

namespace mtu {
namespace {

using diag::Context;
using diag::Verdict;
using diag::probe::Interface;

// The interface that carries this one's frames, or shares a bridge or bond with it, and is smaller.
// A veth's "lower" interface is only its other end.
std::optional<Interface> smaller_below(const Interface& upper) {
    for (const auto& each : diag::probe::interfaces()) {
        const bool below = each.master == upper.index || (each.index == upper.lower && upper.kind != "veth");
        if (below && each.mtu < upper.mtu) return each;
    }
    return std::nullopt;
}

Verdict check_interface(Context& c) {
    const auto wanted = c.bytes("mtu");
    c.asked(fmt::format("{} carries {} bytes", c.text("interface"), wanted));
    const Interface found = diag::probe::interface(c.text("interface"));
    c.saw(fmt::format("{} carries {} bytes", found.name, found.mtu));
    if (!c.measure("mtu", static_cast<double>(found.mtu), diag::unit::bytes, diag::exactly(static_cast<double>(wanted))))
        return diag::fail("mtu.interface-differs", "{} carries {} bytes, {} are intended", found.name, found.mtu, wanted);
    if (const auto lower = smaller_below(found))
        return diag::warn("mtu.member-smaller", "{} carries {} bytes, but {} below it only {}", found.name, found.mtu, lower->name,
                          lower->mtu)
            .with("member", lower->name);
    return diag::pass("{} carries {} bytes", found.name, found.mtu);
}

}  // namespace

void declare_interface(diag::Plugin& plugin) {
    plugin.check("interface", "The interface carries the MTU the site file gives", check_interface)
        .param_or_skip("interface", diag::type::text, "interface name as in `ip link`")
        .param("mtu", diag::type::bytes, "MTU in bytes", 1500)
        .within(68, 65536)  // the loopback interface has one more than IP packets can have
        .cause("mtu.interface-absent", diag::mover::configuration, "The interface is not there.",
               "ip link; then correct the name in the site file")
        .cause("mtu.interface-differs", diag::mover::configuration, "The interface's MTU is not the planned one.",
               "ip link set {interface} mtu {mtu}, from the console or another path")
        .cause("mtu.member-smaller", diag::mover::configuration,
               "A member of the bridge or bond, or the device below a VLAN, carries less than the interface on top.",
               "ip link set {member} mtu {mtu}, from the console or another path")
        .on_absent("mtu.interface-absent")
        .column("MTU", "measured.mtu")
        .side_by_side();
}

}  // namespace mtu
