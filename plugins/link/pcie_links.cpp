#include "pcie_links.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "suspicion.hpp"

namespace diag::link {
namespace {

bool equal(const probe::PcieSpeed& one, const probe::PcieSpeed& other) {
    return one.lanes == other.lanes && one.gigatransfers == other.gigatransfers;
}

// The functions of one device ("0000:01:00.0" and ".1") hang on one link; those of a bridge ("0000:00:1c.0" and ".1") are ports with
// a link each.
std::string link_key(const PciePath& path, std::size_t depth) {
    const std::string& function = path[depth].function;
    return depth + 1 == path.size() ? function.substr(0, function.rfind('.')) : function;
}

// A tree carries through each of its links what that link can, and no more than what is behind it.
std::int64_t bits_through(const std::vector<PciePath>& paths, std::size_t depth) {
    std::map<std::string, std::vector<PciePath>> links;
    for (const auto& path : paths)
        if (depth < path.size()) links[link_key(path, depth)].push_back(path);
    std::int64_t sum = 0;
    for (const auto& [key, behind] : links) {
        std::int64_t bits = behind.front()[depth].now.rate().bits_per_second;
        const bool leaf = std::all_of(behind.begin(), behind.end(), [&](const auto& path) { return path.size() == depth + 1; });
        if (!leaf) bits = std::min(bits, bits_through(behind, depth + 1));
        sum += bits;
    }
    return sum;
}

}  // namespace

PciePath pcie_path_of(const Seen& seen, const std::filesystem::path& root) {
    return seen.port && seen.port->bus == "pci" ? probe::pcie_path(root, seen.port->device) : PciePath{};
}

Rate carried(const std::vector<PciePath>& paths) { return {bits_through(paths, 0)}; }

const probe::PcieStep& slowest(const PciePath& path) {
    const probe::PcieStep* found = &path.front();
    for (const auto& step : path)
        if (step.now.rate() <= found->now.rate()) found = &step;
    return *found;
}

std::optional<HeldBack> held_back(const PciePath& path) {
    // From the device outwards every second pair is a link; between them is the inside of a switch.  Both sides of a link show the same
    // speed: where they do not, a step between them did not say, and nothing is concluded.
    for (std::size_t below = path.size() - 1; below > 0; below -= 2) {
        HeldBack link{path[below - 1], path[below]};
        if (equal(link.above.now, link.below.now)) {
            link.narrow = link.below.now.lanes < std::min(link.above.most.lanes, link.below.most.lanes);
            link.slow = link.below.now.gigatransfers < std::min(link.above.most.gigatransfers, link.below.most.gigatransfers);
        }
        if (link.narrow || link.slow) return link;
        if (below == 1) break;
    }
    return std::nullopt;
}

bool same_port(const Seen& one, const Seen& other) {
    if (one.interface.index == other.interface.index) return true;
    if (!one.port || !other.port || one.port->port_name.empty() || one.port->port_name != other.port->port_name) return false;
    const std::string a = port_key(one), b = port_key(other);
    if (!a.empty() && !b.empty()) return a == b;
    const auto device = [](const Seen& seen) { return seen.port->pci.substr(0, seen.port->pci.rfind('.')); };
    return !one.port->pci.empty() && device(one) == device(other);
}

std::vector<const Seen*> functions_of_port(const Machine& machine, const Seen& seen) {
    std::vector<const Seen*> found;
    for (const auto& other : machine.all())
        if (same_port(seen, other)) found.push_back(&other);
    return found;
}

std::vector<const Seen*> sharers(const Machine& machine, const Seen& seen, const std::filesystem::path& root) {
    std::vector<const Seen*> found;
    const PciePath own = pcie_path_of(seen, root);
    if (own.empty()) return found;
    const Rate limit = slowest(own).now.rate();
    for (const auto& other : machine.all()) {
        const PciePath theirs = pcie_path_of(other, root);
        if (other.interface.index == seen.interface.index) continue;
        for (std::size_t i = 0; i < std::min(own.size(), theirs.size()) && link_key(own, i) == link_key(theirs, i); ++i)
            if (own[i].now.rate() <= limit) {
                found.push_back(&other);
                break;
            }
    }
    return found;
}

}  // namespace diag::link
