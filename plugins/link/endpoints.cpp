#include "endpoints.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "prefixes.hpp"

namespace diag::link {
namespace {

// The address at which the login that started this process arrives, as sshd says it (SSH_CONNECTION, ssh(1)).
std::optional<probe::Address> login_address() {
    const char* told = std::getenv("SSH_CONNECTION");
    std::istringstream words(told != nullptr ? told : "");
    std::string client, client_port, server;
    words >> client >> client_port >> server;
    return probe::Address::parse(server);
}

// The interface that the default route takes; 0: none.  The address is for documentation (RFC 5737), so no closer route has it.
unsigned gateway_interface(World& world) {
    const auto route = world.route(probe::Address::parse("192.0.2.1").value(), std::nullopt);
    return route && route->gateway ? route->interface : 0;
}

void ask_for(const std::vector<std::string>& others, const Seen& seen, World& world, Look& look) {
    std::vector<probe::Address> wanted;
    for (const auto& text : others) {
        const auto address = probe::Address::parse(text);
        if (!address || address->scope() != 0) continue;
        const auto its_network = [&](const InterfaceAddress& own) { return !(own.address == *address) && own.holds(*address); };
        const auto own = meeting_addresses(seen);
        if (std::any_of(own.begin(), own.end(), its_network)) wanted.push_back(*address);
    }
    const auto heard = world.heard(wanted, seen.interface);
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (heard[i]) look.heard(seen.interface.name, wanted[i].text(), *heard[i]);
}

}  // namespace

std::vector<probe::InterfaceAddress> meeting_addresses(const Seen& seen) {
    std::vector<InterfaceAddress> found;
    for (const bool v6 : {false, true})
        for (const auto& own : seen.addresses)
            if (own.address.v6() == v6 && makes_network(own) && !self_assigned(own)) found.push_back(own);
    return found;
}

std::string unfit(const Machine& machine, const Seen& seen) {
    const probe::Interface& link = seen.interface;
    if (!link.up) return "it is switched off";
    if (!link.carrier) return "it has no carrier";
    if (seen.for_containers) return "it is a bridge for containers";
    if (link.mac.empty()) return "it has no hardware address: a tunnel";
    if (!meeting_addresses(seen).empty()) return "";
    if (const Seen* master = machine.master_of(seen)) return "it is in " + master->interface.name;
    if (!machine.addresses_known()) return "its addresses are not known";
    return seen.addresses.empty() || !seen.configured() ? "it has no address but one that it gave itself"
                                                        : "its addresses are for itself alone (169.254/16, or a prefix of one address)";
}

void look_for(const std::vector<std::string>& others, const Machine& machine, World& world, Look& look) {
    const auto login = login_address();
    const unsigned gateway = machine.addresses_known() ? gateway_interface(world) : 0;
    for (const auto& seen : machine.all()) {
        const probe::Interface& link = seen.interface;
        if (link.loopback) continue;
        if (const std::string why = unfit(machine, seen); !why.empty()) {
            if (seen.hardware() || seen.configured()) look.unfit(link.name, why);  // not every end of a container
            continue;
        }
        for (const auto& own : meeting_addresses(seen))
            look.endpoint({link.name, own.address.text(), network_of(own), link.mac, login && *login == own.address,
                           gateway != 0 && gateway == link.index});
        if (!others.empty()) ask_for(others, seen, world, look);
    }
}

}  // namespace diag::link
