#include "target.hpp"

#include <fmt/format.h>

#include "probe/resolve.hpp"

namespace mtu {
namespace {

using diag::fail;
using diag::probe::Address;

// An address that is not probed: why, in the form of a verdict.
diag::Verdict reject(const std::string& name, const Address& address, const std::optional<diag::probe::Route>& route,
                     const std::string& interface) {
    const std::string shown = name == address.text() ? name : fmt::format("{} ({})", name, address.text());
    if (!route) return fail("mtu.no-route", "no route leads to {}", shown).with("address", address.text());
    if (route->local) return fail("mtu.own-address", "{} is an address of this machine itself", shown);
    return fail("mtu.path-elsewhere", "{} is reached over {}, not over {}", shown, route->interface_name, interface)
        .with("address", address.text());
}

Target examine(const Address& address, const diag::probe::Route& route) {
    const auto own = diag::probe::route_to(address, 0, true);
    return {address, route, own ? own->mtu : std::nullopt, diag::probe::interface(route.interface)};
}

}  // namespace

std::variant<std::vector<Target>, diag::Verdict> find_targets(const std::string& name, const std::string& interface) {
    const unsigned meant = interface.empty() ? 0 : diag::probe::interface(interface).index;
    const auto resolution = diag::probe::resolve(name);
    std::vector<Target> targets;
    std::optional<diag::Verdict> rejected;
    for (const auto& address : resolution.addresses) {
        const auto route = diag::probe::route_to(address);
        if (route && !route->local && (meant == 0 || route->interface == meant))
            targets.push_back(examine(address, *route));
        else if (!rejected)
            rejected = reject(name, address, route, interface);
    }
    if (!targets.empty()) return targets;
    if (rejected) return *rejected;
    return fail("mtu.name-unresolved", "{} does not resolve: {}", name, resolution.error);
}

}  // namespace mtu
