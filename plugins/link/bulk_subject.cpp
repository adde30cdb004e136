#include "bulk_subject.hpp"

#include <fmt/format.h>

#include "bulk_run.hpp"
#include "probe/resolve.hpp"

namespace diag::bulk {
namespace {

// An address that a program would take: the first with a route.
std::optional<probe::Address> choose(const Wanted& wanted, Subject& subject) {
    if (wanted.address) {
        auto address = probe::Address::parse(*wanted.address);
        if (!address) throw BadValue(fmt::format("parameter 'address': '{}' is no IPv4 or IPv6 address", *wanted.address));
        return address;
    }
    const auto resolution = probe::resolve(*wanted.name);
    for (const auto& address : resolution.addresses)
        if (probe::route_to(address)) return address;
    if (!resolution.addresses.empty()) return resolution.addresses.front();
    subject.cause = "link.bulk-unresolved";
    subject.problem = fmt::format("{} does not resolve: {}", subject.name, resolution.error);
    return std::nullopt;
}

}  // namespace

Subject find_subject(const Wanted& wanted) {
    Subject subject;
    subject.name = wanted.shown();
    unsigned meant = 0;
    try {
        if (wanted.interface) meant = probe::interface(*wanted.interface).index;
    } catch (const Absent& e) {
        subject.cause = "link.bulk-no-interface";
        subject.problem = e.what();
        return subject;
    }
    const auto address = choose(wanted, subject);
    if (!address) return subject;
    subject.address = *address;
    const auto route = probe::route_to(*address, meant);
    if (!route) {
        subject.cause = "link.bulk-unroutable";
        subject.problem = fmt::format("no route leads to {} ({})", subject.name, address->text());
        return subject;
    }
    subject.interface = meant != 0 ? *wanted.interface : route->interface_name;
    subject.source = route->source;
    return subject;
}

Subject own_end(const Wanted& wanted) {
    Subject subject;
    const auto address = choose(wanted, subject);
    for (const auto& own : probe::addresses())
        if (address && own.address == *address) {
            subject.address = *address;
            subject.source = *address;
            subject.interface = probe::interface(own.interface).name;
        }
    return subject;
}

Hardware hardware_below(const std::filesystem::path& root, probe::Interface interface) {
    while (interface.kind == "vlan" && interface.lower != 0) interface = probe::interface(interface.lower);
    return interface.kind.empty() ? hardware_of(root, interface.name, interface.index) : Hardware{};
}

std::vector<Fact> facts_of(const Subject& subject, const std::filesystem::path& root) {
    const auto interface = probe::interface(subject.interface);
    const Hardware hardware = hardware_below(root, interface);
    const auto or_unknown = [](const std::optional<Rate>& rate) { return rate ? units::show_rate(*rate) : "unknown"; };
    return {{"adapter", hardware.place.empty() ? interface.name : hardware.place},
            {"mtu", interface.mtu},
            {"port", or_unknown(hardware.port)},
            {"pcie", or_unknown(hardware.pcie)},
            {"peer", subject.address.text()},
            {"source", subject.source ? subject.source->text() : "unknown"},
            {"iperf3", installed_version()}};
}

}  // namespace diag::bulk
