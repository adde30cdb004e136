#include "speed.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace diag::link {
namespace {

LinkSpeed none(std::string words, bool should_know = false) { return {std::nullopt, std::move(words), should_know}; }

LinkSpeed of_hardware(const Seen& seen) {
    if (!seen.port) return none("/sys shows another network than this one");
    const probe::Port& port = *seen.port;
    constexpr std::array<std::string_view, 3> paravirtual = {"virtio", "xen", "vmbus"};
    if (std::find(paravirtual.begin(), paravirtual.end(), port.bus) != paravirtual.end())
        return none(fmt::format("a virtual machine's {} device has none of its own", port.bus));
    if (seen.wireless()) return none("a radio's rate changes all the time");
    if (port.speed.rate) return {port.speed.rate, "", false};
    return none(port.speed.unknown, true);
}

// Those that carry traffic: of an active-backup bond one member, else all with carrier (Linux Documentation/networking/bonding.rst).
LinkSpeed of_bond(const Machine& machine, const Seen& bond, const std::filesystem::path& root) {
    const std::string folder = "/sys/class/net/" + bond.interface.name + "/bonding/";
    const std::string mode = probe::sysfs_word(root, folder + "mode");
    if (mode.empty()) return none("which of its members carry traffic is not told", true);
    const bool one = mode.starts_with("active-backup");
    const std::string active = one ? probe::sysfs_word(root, folder + "active_slave") : "";
    LinkSpeed sum{Rate{0}, "", false};
    std::vector<std::string> counted;
    for (const Seen* member : machine.members_of(bond)) {
        if (!member->interface.carrier || (one && member->interface.name != active)) continue;
        const LinkSpeed part = speed_of(machine, *member, root);
        if (!part.rate) return none("of its member " + member->interface.name + ": " + part.words, part.should_know);
        sum.rate->bits_per_second += part.rate->bits_per_second;
        counted.push_back(member->interface.name);
    }
    if (counted.empty()) return none("no member of it carries traffic");
    sum.words = (one ? "of its active member " : "of its members ") + listed(counted);
    return sum;
}

}  // namespace

LinkSpeed speed_of(const Machine& machine, const Seen& seen, const std::filesystem::path& root) {
    const probe::Interface& interface = seen.interface;
    if (interface.loopback) return none("loopback has none");
    if (interface.kind.empty()) return of_hardware(seen);
    if (interface.kind == "bond") return of_bond(machine, seen, root);
    const Seen* lower = interface.kind == "vlan" ? machine.find(interface.lower) : nullptr;
    if (lower != nullptr && lower->interface.index != interface.index) return speed_of(machine, *lower, root);
    return none(fmt::format("a {} interface reports an invented one", interface.kind));
}

}  // namespace diag::link
