#include "target.hpp"

#include <chrono>

#include <fmt/format.h>

#include "probe/resolve.hpp"

namespace mtu {
namespace {

using diag::fail;
using diag::probe::Address;

constexpr std::chrono::seconds resolver_patience{12};  // two silent servers, and a third that answers; path.cpp declares it

// An address that is not probed: why, in the form of a verdict.
diag::Verdict reject(const std::string& name, const Address& address, const std::optional<diag::probe::Route>& route,
                     const std::string& interface) {
    const std::string shown = name == address.text() ? name : fmt::format("{} ({})", name, address.text());
    if (address.lacks_scope())
        return fail("mtu.link-local", "{} is a link-local address, and no interface says on which link", shown)
            .with("address", address.text());
    const std::string rule = diag::probe::source_rule(address, route);
    if (!route) return fail("mtu.no-route", "no route leads to {}{}", shown, rule).with("address", address.text());
    if (route->local) return fail("mtu.own-address", "{} is an address of this machine itself", shown);
    return fail("mtu.path-elsewhere", "{} is reached over {}, not over {}{}", shown, route->interface_name, interface, rule)
        .with("address", address.text());
}

Target examine(const Address& address, const diag::probe::Route& route) {
    const auto own = diag::probe::program_route(address, true);
    return {address, route, own ? own->mtu : std::nullopt, diag::probe::interface(route.interface)};
}

}  // namespace

std::variant<std::vector<Target>, diag::Verdict> find_targets(const std::string& name, const std::string& interface) {
    const unsigned meant = interface.empty() ? 0 : diag::probe::bearer_of(diag::probe::interface(interface)).index;
    const auto resolution = diag::probe::resolve(name, resolver_patience);
    std::vector<Target> targets;
    std::optional<diag::Verdict> rejected;
    for (const auto& found : resolution.addresses) {
        const auto address = found.on(meant);
        const auto route = diag::probe::program_route(address);
        if (route && !address.lacks_scope() && !route->local && (meant == 0 || route->interface == meant))
            targets.push_back(examine(address, *route));
        else if (!rejected)
            rejected = reject(name, address, route, interface);
    }
    if (!targets.empty()) return targets;
    if (rejected) return *rejected;
    return fail("mtu.name-unresolved", "{} does not resolve: {}", name, resolution.error);
}

}  // namespace mtu
