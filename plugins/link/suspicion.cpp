#include "suspicion.hpp"

#include <algorithm>
#include <cstdint>

#include "bond_judge.hpp"
#include "owner.hpp"
#include "pcie_links.hpp"
#include "suspicion_prefixes.hpp"
#include "topology_judge.hpp"

namespace diag::link {
namespace {

using List = std::vector<Suspicion>;

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
        if (link.carrier && link.operstate == "dormant")
            found.push_back(
                {"link.dormant", link.name + " has carrier, and waits to be let in (operstate dormant)", {{"interface", link.name}}});
    }
}

std::optional<Verdict> of_bond(const probe::Interface& bond, World& world) {
    try {
        return judge_bond({bond.name, std::nullopt}, world).verdict;
    } catch (const Absent&) {      // it has gone meanwhile
    } catch (const Unreadable&) {  // what is not known is not suspicious; link.bond says why
    }
    return std::nullopt;
}

// Bridges and bonds, as their own checks judge them where nothing is planned.  A bridge with a spanning tree is meant to join links.
void joined(const Machine& machine, World& world, List& found) {
    for (const auto& seen : machine.all()) {
        const probe::Interface& link = seen.interface;
        std::optional<Verdict> verdict;
        if (link.kind == "bridge" && !seen.for_containers) verdict = joined_links(machine, seen, {}, world.root());
        if (verdict && verdict->outcome == Outcome::warn) verdict.reset();
        if (link.kind == "bond" && link.up) verdict = of_bond(link, world);
        if (!verdict || verdict->cause.empty()) continue;
        verdict->values.emplace("interface", link.name);
        found.push_back({verdict->cause, verdict->reason, verdict->values});
    }
}

Suspicion short_link(const Seen& seen, const HeldBack& link) {
    const bool limits = link.above.most.lanes < link.below.most.lanes || link.above.most.gigatransfers < link.below.most.gigatransfers;
    return {link.narrow ? "link.pcie-narrow" : "link.pcie-slow",
            fmt::format("{} ({}) runs at {}, and could do {}; {} above it {} {}", seen.interface.name, link.below.function,
                        link.below.now.text(), link.below.most.text(), link.above.function, limits ? "does no more than" : "could do",
                        link.above.most.text()),
            {{"interface", seen.interface.name}, {"function", link.below.function}}};
}

// A link that does less than it could; or an adapter in a slot with fewer lanes than it has.
std::optional<HeldBack> short_of(const PciePath& path) {
    if (auto held = held_back(path)) return held;
    if (path.size() < 2 || path.back().now.lanes >= path.back().most.lanes) return std::nullopt;
    return HeldBack{path[path.size() - 2], path.back(), true, false};
}

// What all functions of its port can carry together, where every one of them says.
std::optional<Rate> ceiling(const Machine& machine, const Seen& seen, const std::filesystem::path& root) {
    std::vector<PciePath> paths;
    for (const Seen* function : functions_of_port(machine, seen)) {
        paths.push_back(pcie_path_of(*function, root));
        if (paths.back().empty()) return std::nullopt;
    }
    return carried(paths);
}

void pcie(const Machine& machine, const std::filesystem::path& root, List& found) {
    for (const auto& seen : machine.all()) {
        const auto path = pcie_path_of(seen, root);
        if (path.empty()) continue;
        if (const auto held = short_of(path)) {
            found.push_back(short_link(seen, *held));
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
    if (machine.addresses_known()) found = prefix_suspicions(machine, world);
    cables(machine, world, found);
    joined(machine, world, found);
    pcie(machine, world.root(), found);
    return found;
}

}  // namespace diag::link
