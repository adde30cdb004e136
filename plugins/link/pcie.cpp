#include "link.hpp"
#include "pcie_judge.hpp"

namespace diag::link {
namespace {

Verdict check_pcie(Context& c) {
    const auto rate = [&](const char* name) { return c.given(name) ? std::optional(c.rate(name)) : std::nullopt; };
    const auto world = system_world(c.root());
    const PcieQuestion question{c.text("interface"), rate("speed"), rate("expect"),
                                c.given("width") ? std::optional(c.integer("width")) : std::nullopt,
                                c.given("transfers") ? std::optional(c.number("transfers")) : std::nullopt};
    return judge_pcie(question, *world).tell(c);
}

}  // namespace

void declare_pcie_causes(Check& check) {
    check
        .cause("link.pcie-narrow", mover::hardware, "An adapter's PCI Express link has fewer lanes than the adapter could have.",
               "lspci -vv -s {function}: LnkCap against LnkSta, of it and of the bridge above; seat the card anew, or give it a wider slot")
        .cause(
            "link.pcie-slow", mover::hardware, "An adapter's PCI Express link runs at a lower speed than both its sides could.",
            "lspci -vv -s {function}: LnkCap against LnkSta and LnkCtl2, of it and of the bridge above; seat the card anew, take a riser "
            "out, and look for a speed limit in the firmware setup")
        .cause("link.pcie-ceiling", mover::hardware,
               "PCI Express carries less than the port has negotiated: that is the most it will deliver.",
               "lspci -vv -s {function}; give the card a wider slot, or plan with that speed (expect, in the site file)");
}

void declare_pcie(Plugin& plugin) {
    Check& check = plugin.check("pcie", "PCI Express carries to the adapter what the link is rated at", check_pcie);
    check.param_or_skip("interface", type::text, "interface name as in `ip link`; of a VLAN or a bond, the adapters below it")
        .optional("speed", type::rate, "what the link is rated at; without, what the interface negotiated")
        .optional("expect", type::rate, "what the link is known to deliver, where that is less")
        .optional("width", type::integer, "lanes that the adapter must have at least")
        .within(1, 32)
        .optional("transfers", type::number, "GT/s at which each lane must run at least: 8 is Gen3, 16 Gen4, 32 Gen5")
        .within(2.5, 256)
        .on_absent("link.absent")
        .side_by_side();
    declare_absent(check);
    declare_pcie_causes(check);
}

}  // namespace diag::link
