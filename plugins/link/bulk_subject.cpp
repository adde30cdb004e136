#include "bulk_subject.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bulk_run.hpp"
#include "probe/resolve.hpp"

namespace diag::bulk {
namespace {

// An address that a program would take: the first with a route.  `meant`: index of the interface; 0: any.
std::optional<probe::Address> choose(const Wanted& wanted, unsigned meant, Subject& subject) {
    if (wanted.address) {
        auto address = probe::Address::parse(*wanted.address);
        if (!address) throw BadValue(fmt::format("parameter 'address': '{}' is no IPv4 or IPv6 address", *wanted.address));
        return address->on(meant);
    }
    const auto resolution = probe::resolve(*wanted.name);
    for (const auto& address : resolution.addresses)
        if (probe::route_to(address.on(meant), meant)) return address.on(meant);
    if (!resolution.addresses.empty()) return resolution.addresses.front().on(meant);
    subject.cause = "link.bulk-unresolved";
    subject.problem = fmt::format("{} does not resolve: {}", subject.name, resolution.error);
    return std::nullopt;
}

}  // namespace

Subject find_subject(const Wanted& wanted) {
    Subject subject;
    subject.name = wanted.shown();
    const auto none = [&](const char* cause, const std::string& problem) {
        subject.cause = cause;
        subject.problem = problem;
        return subject;
    };
    unsigned meant = 0;
    try {
        if (wanted.interface) meant = probe::interface(*wanted.interface).index;
    } catch (const Absent& e) {
        return none("link.bulk-no-interface", e.what());
    }
    const auto address = choose(wanted, meant, subject);
    if (!address) return subject;
    subject.address = *address;
    const std::string text = address->text(), peer = subject.name == text ? text : fmt::format("{} ({})", subject.name, text);
    if (address->lacks_scope()) return none("link.bulk-unroutable", peer + " is link-local, and no interface says of which link");
    // Asked without the interface, or the answer would be about that one alone.
    const auto own = probe::route_to(*address);
    if (own && own->local && own->interface != meant) return none("link.bulk-own-address", peer + " is this machine's own address");
    const auto route = meant != 0 ? probe::route_to(*address, meant) : probe::program_route(*address);
    if (!route) return none("link.bulk-unroutable", "no route leads to " + peer);
    subject.interface = meant != 0 ? *wanted.interface : route->interface_name;
    subject.source = route->source;
    return subject;
}

Subject own_end(const Wanted& wanted) {
    Subject subject;
    const auto address = choose(wanted, 0, subject);
    for (const auto& own : probe::addresses())
        if (address && own.address == address->on(own.interface)) {
            subject.address = own.address;
            subject.source = own.address;
            subject.interface = probe::interface(own.interface).name;
        }
    return subject;
}

namespace {

const probe::Interface& below_vlans(const probe::Interface& interface, const std::vector<probe::Interface>& all) {
    const probe::Interface* found = &interface;
    for (std::size_t deep = 0; found->kind == "vlan" && deep < all.size(); ++deep)
        for (const auto& each : all)
            if (each.index == found->lower) {
                found = &each;
                break;
            }
    return *found;
}

}  // namespace

std::string adapter_words(const probe::Interface& named, const std::vector<probe::Interface>& all, const PlaceOf& place) {
    const auto port_words = [&](const probe::Interface& port) {
        const std::string where = place(port).empty() ? port.name : place(port);
        return port.permanent_mac.empty() ? where : where + " " + port.permanent_mac;
    };
    const probe::Interface& interface = below_vlans(named, all);
    if (interface.kind.empty()) return port_words(interface);
    std::vector<std::string> ports;
    for (const auto& each : all)
        if (each.master == interface.index && each.kind.empty()) ports.push_back(port_words(each));
    std::sort(ports.begin(), ports.end());
    return ports.empty() ? interface.name : fmt::format("{}: {}", interface.name, fmt::join(ports, ", "));
}

Hardware hardware_below(const std::filesystem::path& root, const probe::Interface& named) {
    const auto all = probe::interfaces();
    const probe::Interface& interface = below_vlans(named, all);
    return interface.kind.empty() ? hardware_of(root, interface.name, interface.index) : Hardware{};
}

std::vector<Fact> facts_of(const Subject& subject, const std::filesystem::path& root) {
    const auto interface = probe::interface(subject.interface);
    const Hardware hardware = hardware_below(root, interface);
    const auto place = [&](const probe::Interface& port) { return hardware_of(root, port.name, port.index).place; };
    const auto or_unknown = [](const std::optional<Rate>& rate) { return rate ? units::show_rate(*rate) : "unknown"; };
    return {{"adapter", adapter_words(interface, probe::interfaces(), place)},
            {"mtu", interface.mtu},
            {"port", or_unknown(hardware.port)},
            {"pcie", or_unknown(hardware.pcie)},
            {"peer", subject.address.text()},
            {"source", subject.source ? subject.source->text() : "unknown"},
            {"iperf3", installed_version()}};
}

}  // namespace diag::bulk
