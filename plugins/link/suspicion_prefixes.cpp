#include "suspicion_prefixes.hpp"

#include <algorithm>
#include <string>

#include "prefixes.hpp"

namespace diag::link {
namespace {

using List = std::vector<Suspicion>;

// Those that another one is in the way of, each once; a bridge for containers has its own word.
std::vector<const InPrefix*> crowd_of(const Machine& machine, const SharedPrefix& shared) {
    std::vector<const InPrefix*> crowd;
    for (const auto& one : shared.members) {
        const auto counts = [](const InPrefix* other) { return !other->seen->for_containers; };
        if (one.seen->for_containers || (!crowd.empty() && crowd.back()->seen == one.seen)) continue;
        const auto others = in_the_way_of(*one.seen, shared, machine);
        if (std::any_of(others.begin(), others.end(), counts)) crowd.push_back(&one);
    }
    return crowd;
}

void reverse_filters(const SharedPrefix& shared, const std::vector<const InPrefix*>& crowd, World& world, List& found) {
    const auto way = shared.somebody.v6() ? std::nullopt : world.route(shared.somebody, std::nullopt);
    for (const InPrefix* side : crowd) {
        const probe::Interface& link = side->seen->interface;
        if (!way || side->sorted || way->interface == link.index || reverse_path_filter(world, link.name) != 1) continue;
        found.push_back({"link.rp-filter",
                         fmt::format("the strict reverse-path filter of {} (rp_filter 1) drops what comes over it from {}, as the way "
                                     "back leads over {}",
                                     link.name, shared.network, way->interface_name),
                         {{"interface", link.name}, {"side", link.name}, {"peer", shared.somebody.text()}}});
    }
}

void same_prefixes(const Machine& machine, World& world, List& found) {
    for (const auto& shared : shared_prefixes(machine, world)) {
        const auto crowd = crowd_of(machine, shared);
        if (crowd.empty()) continue;
        std::vector<std::string> names;
        names.reserve(crowd.size());
        for (const InPrefix* member : crowd) names.push_back(member->seen->interface.name);
        found.push_back(
            {"link.same-prefix",
             crowd_words(names, shared),
             {{"interface", names.front()}, {"other", listed_few({names.begin() + 1, names.end()})}, {"prefix", shared.network}}});
        reverse_filters(shared, crowd, world, found);
    }
}

void containers(const Machine& machine, List& found) {
    for (const auto& one : machine.all()) {
        if (!one.interface.up || one.interface.loopback || one.for_containers) continue;
        for (const auto& clash : container_clashes(machine, one))
            found.push_back({"link.container-bridge",
                             fmt::format("{} of {} overlaps {} of {}, a bridge for containers or virtual machines", network_of(clash.mine),
                                         one.interface.name, network_of(clash.theirs), clash.bridge->interface.name),
                             {{"bridge", clash.bridge->interface.name}}});
    }
}

}  // namespace

std::vector<Suspicion> prefix_suspicions(const Machine& machine, World& world) {
    List found;
    same_prefixes(machine, world, found);
    containers(machine, found);
    return found;
}

}  // namespace diag::link
