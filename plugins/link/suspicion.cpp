#include "suspicion.hpp"

#include <algorithm>
#include <cstdint>

#include "owner.hpp"
#include "prefixes.hpp"
#include "probe/pcie.hpp"

namespace diag::link {
namespace {

using List = std::vector<Suspicion>;

void same_prefixes(const Machine& machine, World& world, List& found) {
    for (const auto& one : machine.all()) {
        if (!one.interface.up || one.interface.loopback) continue;
        const std::string& name = one.interface.name;
        if (const auto clash = container_clash(machine, one); clash && !machine.container_bridge(one)) {
            found.push_back({"link.container-bridge",
                             fmt::format("{} of {} overlaps {} of {}, a bridge for containers or virtual machines", network_of(clash->mine),
                                         name, network_of(clash->theirs), clash->other->interface.name),
                             {{"bridge", clash->other->interface.name}}});
            continue;
        }
        const auto clash = same_prefix(machine, one);
        // Each pair once, from its first interface; a bridge for containers has had its own word.
        if (!clash || clash->other < clash->one || machine.container_bridge(one) || sorted_by_source(*clash, world)) continue;
        const std::string other = clash->other->interface.name, network = network_of(clash->mine);
        found.push_back({"link.same-prefix",
                         fmt::format("{} and {} are both in {}{}: traffic for either leaves by one of them", name, other, network,
                                     self_assigned(clash->mine) ? " (given by themselves)" : ""),
                         {{"interface", name}, {"other", other}, {"prefix", network}}});
        const auto way = clash->mine.address.v6() ? std::nullopt : world.route(somebody_in(*clash), std::nullopt);
        for (const Seen* side : {clash->one, clash->other})
            if (way && way->interface != side->interface.index && reverse_path_filter(world, side->interface.name) == 1)
                found.push_back(
                    {"link.rp-filter",
                     fmt::format("the strict reverse-path filter of {} (rp_filter 1) drops what comes over it from {}, as the way "
                                 "back leads over {}",
                                 side->interface.name, network, way->interface_name),
                     {{"interface", side->interface.name}, {"side", side->interface.name}, {"peer", somebody_in(*clash).text()}}});
    }
}

void cables(const Machine& machine, World& world, List& found) {
    for (const auto& seen : machine.all()) {
        const probe::Interface& link = seen.interface;
        if (link.loopback || !link.up) continue;
        const bool planned = seen.configured() || (seen.port && !owner_of(world.root(), link).empty());
        const Seen* other = !link.carrier && planned && !seen.wireless() ? machine.carrier_elsewhere(seen) : nullptr;
        if (other != nullptr)
            found.push_back(
                {"link.carrier-elsewhere",
                 fmt::format("{} is configured and has no carrier, while {}, which has no address, has", link.name, other->interface.name),
                 {{"interface", link.name}, {"found", other->interface.name}}});
        if (link.carrier && seen.port && !seen.wireless() && seen.port->duplex == "half")
            found.push_back({"link.half-duplex", link.name + " negotiated half duplex", {{"interface", link.name}}});
    }
}

bool less(const probe::PcieSpeed& one, const probe::PcieSpeed& other) {
    return one.lanes < other.lanes || one.gigatransfers < other.gigatransfers;
}

Suspicion narrow(const Seen& seen, const std::vector<probe::PcieStep>& path) {
    const auto& device = path.back();
    std::string reason =
        fmt::format("{} ({}) runs at {}, and could do {}", seen.interface.name, device.function, device.now.text(), device.most.text());
    if (path.size() > 1) {
        const auto& above = path[path.size() - 2];
        reason += fmt::format("; {} above it {} {}", above.function, less(above.most, device.most) ? "does no more than" : "could do",
                              above.most.text());
    }
    return {"link.pcie-narrow", reason, {{"interface", seen.interface.name}, {"function", device.function}}};
}

std::int64_t slowest(const std::vector<probe::PcieStep>& path) {
    std::int64_t bits = path.front().now.rate().bits_per_second;
    for (const auto& step : path) bits = std::min(bits, step.now.rate().bits_per_second);
    return bits;
}

// Without the identity of switch or adapter, ports of one name and driver are taken for one: that suspects less.
bool same_port(const Seen& one, const Seen& other) {
    if (one.interface.index == other.interface.index) return true;
    if (!one.port || !other.port || one.port->port_name.empty() || one.port->port_name != other.port->port_name) return false;
    const std::string a = port_key(one), b = port_key(other);
    return a.empty() || b.empty() ? one.port->driver == other.port->driver : a == b;
}

// What all functions of its port can carry together, where every one of them says.
std::optional<Rate> ceiling(const Machine& machine, const Seen& seen, const std::filesystem::path& root) {
    Rate sum;
    for (const auto& other : machine.all()) {
        if (!same_port(seen, other)) continue;
        const auto path = probe::pcie_path(root, other.port->device);
        if (path.empty()) return std::nullopt;
        sum.bits_per_second += slowest(path);
    }
    return sum;
}

void pcie(const Machine& machine, const std::filesystem::path& root, List& found) {
    for (const auto& seen : machine.all()) {
        if (!seen.port || seen.port->bus != "pci") continue;
        const auto path = probe::pcie_path(root, seen.port->device);
        if (path.empty()) continue;
        if (less(path.back().now, path.back().most)) {
            found.push_back(narrow(seen, path));
            continue;
        }
        const auto carries = ceiling(machine, seen, root);
        const auto& speed = seen.port->speed.rate;
        if (seen.interface.carrier && carries && speed && *carries < *speed)
            found.push_back(
                {"link.pcie-ceiling",
                 fmt::format("{} negotiated {}, and PCI Express carries {} ({} at {})", seen.interface.name, units::show_rate(*speed),
                             units::show_rate(*carries), path.back().now.text(), path.back().function),
                 {{"interface", seen.interface.name}, {"function", path.back().function}}});
    }
}

}  // namespace

std::string port_key(const Seen& seen) {
    if (!seen.port || seen.port->port_name.empty()) return "";
    const std::string& identity = seen.port->switch_id.empty() ? seen.port->board : seen.port->switch_id;
    return identity.empty() ? "" : identity + " " + seen.port->port_name;
}

std::vector<Suspicion> suspicions(const Machine& machine, World& world) {
    List found;
    if (machine.addresses_known()) same_prefixes(machine, world, found);
    cables(machine, world, found);
    pcie(machine, world.root(), found);
    return found;
}

}  // namespace diag::link
