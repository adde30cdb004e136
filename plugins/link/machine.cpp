#include "machine.hpp"

#include <algorithm>
#include <unordered_set>

#include <diag/verdict.hpp>

namespace diag::link {
namespace {

std::optional<probe::Port> port_of(const World& world, const probe::Interface& interface) {
    try {
        probe::Port port = probe::port(world.root(), interface.name);
        if (port.index == interface.index) return port;  // else /sys shows another network namespace
    } catch (const Absent&) {
    } catch (const Unreadable&) {
    }
    return std::nullopt;
}

// A macvlan or ipvlan shares the network of the interface below; a VLAN is another network, a veth's other end a neighbour.
bool shares_network(const probe::Interface& upper, const probe::Interface& lower) {
    return upper.lower == lower.index && (upper.kind == "macvlan" || upper.kind == "ipvlan");
}

}  // namespace

bool Seen::configured() const {
    return std::any_of(addresses.begin(), addresses.end(), [](const auto& own) { return own.address.scope() == 0; });
}

Machine::Machine(World& world) : world_(world) {
    for (auto& interface : world.interfaces()) {
        Seen seen;
        seen.interface = interface;
        if (seen.hardware()) seen.port = port_of(world, interface);
        has_hardware_ = has_hardware_ || seen.hardware();
        places_.emplace(interface.index, all_.size());
        all_.push_back(std::move(seen));
    }
    find_container_bridges();
    try {
        for (const auto& own : world.addresses())
            for (auto& seen : all_)
                if (seen.interface.index == own.interface) seen.addresses.push_back(own);
        addresses_known_ = true;
    } catch (const Unreadable&) {  // addresses_known() tells
    }
}

const Seen* Machine::find(unsigned index) const {
    const auto found = places_.find(index);
    return index == 0 || found == places_.end() ? nullptr : &all_[found->second];
}

const Seen& Machine::find(const std::string& name) const {
    const Seen* found = find(world_.interface(name).index);
    if (found == nullptr) throw Absent("interface " + name + " has gone while it was looked at");
    return *found;
}

std::vector<const Seen*> Machine::members_of(const Seen& master) const {
    std::vector<const Seen*> members;
    for (const auto& seen : all_)
        if (seen.interface.master == master.interface.index) members.push_back(&seen);
    return members;
}

void Machine::find_container_bridges() {
    std::unordered_set<unsigned> outside;  // bridges with a member that leads out of the machine
    for (const auto& member : all_) {
        const Seen* lower = find(member.interface.lower);
        const std::string& kind = member.interface.kind;  // a bond, or a VLAN on hardware, leads outside as well
        if (member.hardware() || kind == "bond" || kind == "team" || (kind == "vlan" && (lower == nullptr || lower->hardware())))
            outside.insert(member.interface.master);
    }
    for (auto& seen : all_) seen.for_containers = seen.interface.kind == "bridge" && !outside.contains(seen.interface.index);
}

// Hardware, and a bond of hardware.  A veth is a port only where there is nothing else, in a container or a lab, and only if its other end
// is not here: beside hardware it leads to a container.
bool Machine::takes_cable(const Seen& seen) const {
    const std::string& kind = seen.interface.kind;
    if (seen.hardware()) return !seen.wireless();
    if (kind == "veth") return !has_hardware_ && seen.interface.lower == 0;
    const auto members = kind == "bond" || kind == "team" ? members_of(seen) : std::vector<const Seen*>{};
    return std::any_of(members.begin(), members.end(), [&](const Seen* member) { return takes_cable(*member); });
}

const Seen* Machine::carrier_elsewhere(const Seen& without) const {
    const probe::Interface& link = without.interface;
    if (!addresses_known_ || !takes_cable(without)) return nullptr;
    const auto stands_on = [](const Seen& seen) {
        return [&seen](const Seen& upper) { return upper.interface.lower == seen.interface.index && upper.interface.kind != "veth"; };
    };
    const auto has_it = [&](const Seen& seen) {
        const probe::Interface& other = seen.interface;
        return other.index != link.index && other.kind == link.kind && other.up && other.carrier && other.master == 0 &&
               !seen.configured() && takes_cable(seen) && std::none_of(all_.begin(), all_.end(), stands_on(seen));
    };
    const auto found = std::find_if(all_.begin(), all_.end(), has_it);
    return found == all_.end() ? nullptr : &*found;
}

unsigned Machine::vrf_of(const Seen& seen) const {
    const Seen* master = master_of(seen);
    return master != nullptr && master->interface.kind == "vrf" ? master->interface.index : 0;
}

bool Machine::related(const Seen& one, const Seen& other) const {
    const probe::Interface &a = one.interface, &b = other.interface;
    if (a.index == b.index || shares_network(a, b) || shares_network(b, a)) return true;
    if (a.master == b.index || b.master == a.index) return true;
    return a.master != 0 && a.master == b.master && vrf_of(one) == 0;
}

std::string Machine::table() const {
    std::string text;
    for (const auto& [interface, port, addresses, for_containers] : all_) {
        text += fmt::format("{}: {} carrier={} operstate={} mtu={} mac={}", interface.name, interface.up ? "up" : "switched-off",
                            interface.carrier ? "yes" : "no", interface.operstate, interface.mtu, interface.mac);
        if (!interface.kind.empty()) text += " kind=" + interface.kind;
        if (!interface.permanent_mac.empty()) text += " permanent-mac=" + interface.permanent_mac;
        if (const Seen* master = find(interface.master)) text += " member-of=" + master->interface.name;
        if (port)
            text +=
                fmt::format(" driver={} path={} port={} switch={} speed={} duplex={}", port->driver, port->pci, port->port_name,
                            port->switch_id, port->speed.rate ? units::show_rate(*port->speed.rate) : port->speed.unknown, port->duplex);
        for (const auto& own : addresses) text += " " + own.text();
        if (const auto& c = interface.counters)
            text += fmt::format(" rx-errors={} tx-errors={} rx-dropped={} tx-dropped={}", c->rx_errors, c->tx_errors, c->rx_dropped,
                                c->tx_dropped);
        text += "\n";
    }
    return text + "errors and drops are counted since the interface was made, as a rule since boot\n";
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return text;
}

std::string listed_few(std::vector<std::string> names) {
    constexpr std::size_t shown = 12;
    const std::size_t more = names.size() - std::min(names.size(), shown);
    names.resize(names.size() - more);
    if (more > 0) names.push_back(fmt::format("{} more", more));
    return listed(names);
}

}  // namespace diag::link
