// What this machine's interfaces are: hardware by physical port, then what stands on it, then the rest that has an address.
#include <algorithm>
#include <array>

#include "endpoints.hpp"
#include "link.hpp"
#include "owner.hpp"
#include "pcie_links.hpp"
#include "speed.hpp"
#include "suspicion.hpp"

namespace diag::link {
namespace {

// "200G", "2.5G", "100M": as people say it of a port.
std::string short_rate(Rate rate) {
    const auto bits = static_cast<double>(rate.bits_per_second);
    return bits >= 1e9 ? fmt::format("{:g}G", bits / 1e9) : fmt::format("{:g}M", bits / 1e6);
}

Property carrier(const probe::Interface& link) { return {"carrier", !link.up ? "off" : link.carrier ? "up" : "no", {}}; }

// For people and for the site file, as the next.
Property mtu(const probe::Interface& link) {
    if (link.mtu == 0) return {"mtu", "", {}};
    return {"mtu", std::to_string(link.mtu), link.mtu, {"link.mtu", std::to_string(link.mtu)}};
}

Property speed(const Machine& machine, const Seen& seen, const std::filesystem::path& root) {
    const auto rate = seen.interface.carrier ? speed_of(machine, seen, root).rate : std::nullopt;
    if (!rate) return {"speed", "", {}, {"link.speed", ""}};
    const bool half = seen.port && seen.port->duplex == "half";
    return {"speed", short_rate(*rate) + (half ? " half" : ""), rate->bits_per_second, {"link.speed", short_rate(*rate) + "bit"}};
}

// All of them for people, and the first for the site file.
Property addresses(const Seen& seen) {
    std::string text, first;
    json value = json::array();
    for (const auto& own : seen.addresses) {
        if (own.address.scope() != 0) continue;  // every interface has one
        if (first.empty() || (!own.address.v6() && first.find(':') != std::string::npos)) first = own.address.text();
        value.push_back(own.text());
        text += (text.empty() ? "" : ", ") + own.text();
    }
    return {"address", text, value, {first.empty() ? "" : "end.address", first}};
}

Property port(const Machine& machine, const Seen& seen) {
    if (!seen.port || seen.port->port_name.empty()) return {"port", "", {}};
    const std::string key = port_key(seen), &name = seen.port->port_name;
    const auto of_it = [&](const Seen& other) { return port_key(other) == key; };
    const auto functions = key.empty() ? 1 : std::count_if(machine.all().begin(), machine.all().end(), of_it);
    return {"port",
            functions > 1 ? fmt::format("{} (1 of {})", name, functions) : name,
            {{"name", name}, {"functions", functions}, {"key", key}}};
}

// The bridge or bond that it is in, or its own members.
Property joined(const Machine& machine, const Seen& seen) {
    if (const Seen* master = machine.master_of(seen)) return {"joined", "in " + master->interface.name, {{"in", master->interface.name}}};
    json names = json::array();
    for (const Seen* member : machine.members_of(seen)) names.push_back(member->interface.name);
    constexpr std::size_t shown = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), shown); ++i) text += (text.empty() ? "" : " + ") + names[i].get<std::string>();
    if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
    return {"joined", text.empty() ? "" : "of " + text, {{"members", names}}};
}

// "Gen5 x4", as people say it of a slot (PCI Express base specification: the generations' transfers a second).
std::string generation(const probe::PcieSpeed& speed) {
    const std::array<double, 6> gigatransfers = {2.5, 5, 8, 16, 32, 64};
    const auto* found = std::find(gigatransfers.begin(), gigatransfers.end(), speed.gigatransfers);
    if (found == gigatransfers.end()) return speed.text();
    return fmt::format("Gen{} x{}", found - gigatransfers.begin() + 1, speed.lanes);
}

// What the adapter's link runs at, and what its two sides could do, where one could do more.
std::string pcie_words(const PciePath& path) {
    std::string now = generation(path.back().now);
    const std::string card = generation(path.back().most), slot = path.size() > 1 ? generation(path[path.size() - 2].most) : "";
    if (card == now && (slot.empty() || slot == now)) return now;
    return fmt::format("{} (card {}{}{})", now, card, slot.empty() ? "" : ", slot ", slot);
}

Property pcie(const Seen& seen, const std::filesystem::path& root) {
    const auto path = pcie_path_of(seen, root);
    if (path.empty()) return {"pcie", "", {}};
    json value = json::array();
    for (const auto& step : path) value.push_back({{"function", step.function}, {"now", step.now.text()}, {"most", step.most.text()}});
    return {"pcie", pcie_words(path), value};
}

// Hundreds of containers' ends would hide the machine.
bool worth_a_row(const Seen& seen) {
    const std::string& kind = seen.interface.kind;
    return !seen.interface.loopback && (seen.hardware() || kind == "bond" || kind == "bridge" || kind == "vlan" || seen.configured());
}

std::vector<const Seen*> rows(const Machine& machine) {
    std::vector<const Seen*> all;
    for (const auto& seen : machine.all())
        if (worth_a_row(seen)) all.push_back(&seen);
    std::stable_sort(all.begin(), all.end(), [](const Seen* a, const Seen* b) {
        if (a->hardware() != b->hardware()) return a->hardware();
        const std::string one = port_key(*a), other = port_key(*b);
        return one.empty() != other.empty() ? !one.empty() : one < other;
    });
    return all;
}

void run(Look& look) {
    const auto world = system_world(look.root());
    const Machine machine(*world);
    for (const Seen* seen : rows(machine)) {
        const probe::Interface& link = seen->interface;
        const std::string& mac = link.permanent_mac;
        look.see("interface", link.name,
                 {port(machine, *seen),
                  carrier(link),
                  speed(machine, *seen, look.root()),
                  mtu(link),
                  addresses(*seen),
                  {"kind", link.kind, {}},
                  joined(machine, *seen),
                  {"mac", seen->hardware() ? mac : "", {}, {seen->hardware() && !mac.empty() ? "end.mac" : "", mac}}});
    }
    for (const Seen* seen : rows(machine))
        if (seen->port)
            look.see("adapter", seen->interface.name,
                     {{"driver", seen->port->driver, {}},
                      {"path", seen->port->pci, {}},
                      pcie(*seen, look.root()),
                      {"by", owner_of(look.root(), seen->interface), {}}});
    if (const auto others = look.others()) look_for(*others, machine, *world, look);
    for (const auto& suspicion : suspicions(machine, *world)) look.wrong(suspicion.cause, suspicion.reason, suspicion.values);
}

}  // namespace

void declare_look(Plugin& plugin) {
    Check& look = plugin.look(run).optional(others_parameter, type::list, "addresses of other machines, to be looked for on every link");
    declare_pcie_causes(look);
}

}  // namespace diag::link
