#include "causes.hpp"
#include "given.hpp"
#include "names.hpp"
#include "resolve_judge.hpp"

namespace diag::names {

static Verdict check_resolve(Context& c) {
    const auto world = system_world(c.root());
    const ResolveQuestion question{given(c, "name").value(), given(c, "interface"), given(c, "own"), given(c, "address")};
    ResolveFinding finding = judge_resolve(question, *world);
    c.asked(finding.asked);
    c.saw(finding.saw);
    c.evidence("resolution", finding.evidence);
    return std::move(finding.verdict);
}

static void declare_address_causes(Check& check) {
    check
        .cause("names.loopback", mover::configuration, "The name of another machine is a loopback address here.",
               "take {name} off the loopback line of /etc/hosts; then: getent ahosts {name}")
        .cause("names.no-usable-address", mover::configuration, "The name has addresses, but this machine has no route to any of them.",
               "ip -br link; ip route get {found}; ip rule; give this machine an address or a route in that family, or the name another "
               "address")
        .cause("names.wrong-interface", mover::configuration, "The name leads to an address of another path than the one meant.",
               "give {name} the peer's address on the link of {interface} (/etc/hosts or DNS); see: ip route get {found}; ip rule")
        .cause("names.route-elsewhere", mover::configuration,
               "The address is the right one, but the kernel sends it by another interface: overlapping prefixes, a more specific route, "
               "or a rule.",
               "ip route get {found}; ip rule; give each interface its own prefix, or remove the route or rule that takes it")
        .cause("names.address-differs", mover::configuration, "The name has another address than the site file gives.",
               "getent ahosts {name}; correct the name's address, or the site file ({address})")
        .cause("names.address-invalid", mover::configuration, "The site file gives an address that is none.",
               "write a plain IPv4 or IPv6 address, without a prefix length, instead of {address}");
}

static void declare_own_causes(Check& check) {
    check
        .cause("names.own-loopback", mover::configuration,
               "This machine's own name is a loopback address here; peers that are told this name's address connect to themselves.",
               "take {own} off the 127.x or ::1 line of /etc/hosts and put it on a line with the machine's own address; then: getent "
               "ahosts {own}")
        .cause("names.own-unknown", mover::configuration, "This machine cannot look up its own name.",
               "give {own} a line with this machine's own address in /etc/hosts; then: getent ahosts {own}")
        .cause("names.own-elsewhere", mover::configuration, "This machine's own name leads to an address that this machine does not have.",
               "ip -br addr; getent ahosts {own}; correct the record or the /etc/hosts line of {own}")
        .cause(
            "names.search-domain", mover::configuration,
            "The name exists only with a search domain appended; elsewhere, or with another search list, it is unknown or another machine.",
            "write the whole name, {canonical}, in the site file");
}

void declare_resolve(Plugin& plugin) {
    Check& check = plugin.check("resolve", "The name leads to the right address by the right interface", check_resolve);
    check.param_or_skip("name", type::text, "name to look up, through the system's resolver")
        .optional("interface", type::text, "interface by which every address of the name must be reached")
        .optional("own", type::text, "this machine's own name: must not be a loopback address here")
        .optional("address", type::text, "address that the name must have")
        .takes(35)  // glibc gives three silent servers 5 s each, twice (resolv.conf(5), timeout and attempts); then one question each
        .side_by_side();
    declare_resolver_causes(check);
    declare_address_causes(check);
    declare_own_causes(check);
}

}  // namespace diag::names
