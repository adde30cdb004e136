#include "causes.hpp"

#include <cerrno>

#include "prefix.hpp"

namespace diag::names {

void declare_resolver_causes(Check& check) {
    check
        .cause(
            "names.unknown", mover::configuration, "No source of names on this machine knows the name.",
            "add a line for {name} to /etc/hosts or a record to the DNS, or correct the name in the site file; then: getent ahosts {name}")
        .cause("names.mdns-shadowed", mover::configuration,
               "The name ends in .local, so mDNS is asked, does not know it, and ends the search before DNS, which does know it.",
               "give {name} a line in /etc/hosts or a name outside .local; or put dns before the mdns service in the hosts line of "
               "/etc/nsswitch.conf")
        .cause("names.dns-hidden", mover::configuration,
               "The DNS server knows the name, but the hosts line of /etc/nsswitch.conf does not let programs ask it.",
               "let the hosts line of /etc/nsswitch.conf reach dns (usual: hosts: files dns); then: getent ahosts {name}")
        .cause("names.resolver-failed", mover::configuration,
               "The resolver could not finish: no DNS server answers, or it failed itself. Whether the name exists is not known.",
               "see which server of /etc/resolv.conf answers and how this machine reaches it (resolvectl status); or give {name} a line in "
               "/etc/hosts")
        .cause("names.services-broken", mover::configuration,
               "A service that the hosts line of /etc/nsswitch.conf names cannot be asked, and none there asks a DNS server.",
               "correct the hosts line of /etc/nsswitch.conf (usual: hosts: files dns), or install the service (libnss_NAME.so.2); then: "
               "getent ahosts {name}")
        .cause("names.unroutable", mover::configuration,
               "One of the name's addresses has no route here, although this machine uses that family: programs that take it fail, or "
               "lose time before they take another.",
               "ip route get {found}; ip rule; add the route, or take {found} from the name {name} (/etc/hosts or DNS)")
        .cause("names.link-local", mover::configuration,
               "A link-local address means a machine on one link only, and no interface is given.",
               "give the check the interface, or write {found}%INTERFACE")
        .cause("names.own-address", mover::configuration, "The name or address of another machine is one that this machine has itself.",
               "ip -br addr; correct the peer's address in the site file, /etc/hosts or DNS; where two machines carry {found} (docker0, "
               "virbr0): "
               "name another address of the peer")
        .cause("names.no-interface", mover::configuration, "The interface that the site file gives is not on this machine.",
               "ip -br link; then correct the interface in the site file, or rename or plug in the interface");
    check.on_absent("names.no-interface");
}

void declare_local_causes(Check& check) {
    check
        .cause("names.blocked-here", mover::configuration, "This machine's own firewall does not let the probes out.",
               "nft list ruleset (or iptables -S OUTPUT); let ICMP echo out")
        .cause("names.no-route", mover::configuration, "This machine has no route to the address, or none by the interface asked for.",
               "ip -br addr; ip route; ip rule; give the interface an address in that network, or add the route")
        .cause("names.send-failed", mover::configuration, "The kernel would not send the probes.",
               "ip -s link; see the reason, and whether the interface is up");
}

void declare_answer_causes(Check& check) {
    check
        .cause("names.loss", mover::hardware, "Some of the probes were lost.",
               "ip -s link on both ends (errors, drops); reseat or change the cable, and see whether the link is saturated")
        .cause("names.duplicates", mover::configuration,
               "Probes were answered more than once: two machines with one address, or a loop of bridges.",
               "arping -D the address; look for two hosts with one address, and for a switch loop");
}

bool routing_error(int error) { return error == ENETUNREACH || error == EHOSTUNREACH || error == EACCES || error == EINVAL; }

static Verdict unknown(World& world, const Sources& sources, const std::string& name) {
    const DnsFinding dns = ask_servers(world, sources, name);
    const std::string services = services_text(sources);
    const auto mdns = mdns_in_front_of_dns(sources, name);
    if (dns.server && mdns)
        return fail("names.mdns-shadowed",
                    "{} is unknown to programs, although the DNS server {} knows it: '{}' ends the search before dns", name,
                    dns.server->text(), *mdns);
    if (dns.server)
        return fail("names.dns-hidden", "{} is unknown to programs, although the DNS server {} knows {}; names come from: {}", name,
                    dns.server->text(), dns.asked, services);
    return fail("names.unknown", "{} is unknown on this machine: {} line of /etc/hosts has an address for it, names come from: {}; DNS: {}",
                name, in_hosts(sources, name) ? "a broken" : "no", services, dns.told);
}

std::optional<Verdict> unroutable(World& world, const std::string& name, const probe::Address& address) {
    const auto way = world.route(address);
    if (way || !family_in_use(world.addresses(), address)) return std::nullopt;
    return warn("names.unroutable", "{} is also {}, and this machine has no route to that address{}", name, address.text(),
                world.source_rule(address, way))
        .with("found", address.text());
}

unsigned scope_of(World& world, const std::optional<std::string>& interface, const probe::Address& address) {
    return interface && address.lacks_scope() ? world.bearer(*interface).index : 0;
}

std::optional<Verdict> unscoped(const probe::Address& address) {
    if (!address.lacks_scope()) return std::nullopt;
    return fail("names.link-local", "{} is a link-local address, and no interface says on which link", address.text())
        .with("found", address.text());
}

std::optional<Verdict> unresolved(World& world, const Sources& sources, const std::string& name, const probe::Resolution& resolution) {
    using Status = probe::Resolution::Status;
    if (resolution.status == Status::resolved) return std::nullopt;
    if (resolution.status == Status::unknown) return unknown(world, sources, name);
    const std::string services = services_text(sources);
    if (resolution.status == Status::broken && !ask_for_servers(sources))
        return fail("names.services-broken", "{} could not be looked up: {}; names come from: {}", name, resolution.error, services);
    return fail("names.resolver-failed", "{} could not be looked up: {}; names come from: {}; DNS: {}", name, resolution.error, services,
                ask_servers(world, sources, name).told);
}

}  // namespace diag::names
