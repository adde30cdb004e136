#include "tree_world.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include <net/if.h>
#include <net/if_arp.h>

#include <diag/verdict.hpp>

#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "probe/files.hpp"
#include "probe/port.hpp"

namespace diag::link {
namespace {

using std::filesystem::path;

const std::string folder = "/sys/class/net/";

// A whole number of sysfs, decimal or 0x...; nothing where there is no such file or no number in it.
std::optional<std::uint64_t> number(const path& root, const std::string& file) {
    std::string text = probe::sysfs_word(root, file);
    const bool hex = text.starts_with("0x");
    if (hex) text.erase(0, 2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// The index of the interface that a link among its files leads to ("master", "lower_eth0"); 0 where there is none.
unsigned index_behind(const path& root, const std::string& link) {
    try {
        return probe::port(root, path(probe::read_link(root, link)).filename()).index;
    } catch (const Absent&) {
        return 0;
    }
}

unsigned lower_of(const path& root, const std::string& own) {
    for (const auto& name : probe::list_folder(root, own))
        if (name.starts_with("lower_")) return index_behind(root, own + "/" + name);
    return 0;
}

std::optional<probe::LinkCounters> counters(const path& root, const std::string& own) {
    probe::LinkCounters all;
    const std::pair<const char*, std::uint64_t*> files[] = {{"rx_packets", &all.rx_packets}, {"tx_packets", &all.tx_packets},
                                                            {"rx_errors", &all.rx_errors},   {"tx_errors", &all.tx_errors},
                                                            {"rx_dropped", &all.rx_dropped}, {"tx_dropped", &all.tx_dropped}};
    for (const auto& [name, value] : files) {
        const auto found = number(root, own + "/statistics/" + name);
        if (!found) return std::nullopt;
        *value = *found;
    }
    return all;
}

std::string kind_of(const path& root, const std::string& own, const probe::Port& port, bool loopback) {
    if (!port.device.empty() || loopback) return "";
    if (!port.type.empty()) return port.type;
    return number(root, own + "/tun_flags") ? "tun" : "virtual";
}

std::string permanent_mac(const path& root, const std::string& own, const probe::Port& port) {
    if (!port.bond_member.empty()) return port.bond_member;
    return number(root, own + "/addr_assign_type") == 0U ? probe::sysfs_word(root, own + "/address") : "";  // NET_ADDR_PERM
}

probe::Interface read_interface(const path& root, const probe::Port& port) {
    const std::string own = folder + port.name;
    const auto flags = number(root, own + "/flags"), carrier = number(root, own + "/carrier");
    probe::Interface found;
    found.index = port.index;
    found.name = port.name;
    found.operstate = probe::sysfs_word(root, own + "/operstate");
    // A tree that somebody made by hand can lack any file: then another one tells, and one interface's lack is no other's.
    found.loopback = flags ? (*flags & IFF_LOOPBACK) != 0 : number(root, own + "/type") == std::uint64_t{ARPHRD_LOOPBACK};
    found.kind = kind_of(root, own, port, found.loopback);
    found.carrier = carrier ? *carrier == 1 : found.operstate == "up";
    found.up = flags ? (*flags & IFF_UP) != 0 : carrier || found.operstate == "up";  // carrier is refused while it is switched off
    found.mtu = static_cast<std::int64_t>(number(root, own + "/mtu").value_or(0));
    found.mac = probe::sysfs_word(root, own + "/address");
    found.permanent_mac = permanent_mac(root, own, port);
    found.master = index_behind(root, own + "/master");
    found.lower = lower_of(root, own);
    found.counters = counters(root, own);
    if (const auto changes = number(root, own + "/carrier_changes")) found.carrier_changes = static_cast<std::uint32_t>(*changes);
    return found;
}

}  // namespace

std::vector<probe::Interface> TreeWorld::interfaces() {
    std::vector<probe::Interface> all;
    for (const auto& name : probe::port_names(root_)) all.push_back(read_interface(root_, probe::port(root_, name)));
    return all;
}

probe::Interface TreeWorld::interface(const std::string& name) {
    const auto names = probe::port_names(root_);
    if (std::find(names.begin(), names.end(), name) == names.end())
        throw Absent(fmt::format("no interface '{}' in the captured tree{}", base::printable(name), base::did_you_mean(name, names)));
    return read_interface(root_, probe::port(root_, name));
}

std::vector<probe::InterfaceAddress> TreeWorld::addresses() { throw Unreadable("a captured tree does not hold a machine's addresses"); }

std::optional<probe::Route> TreeWorld::route(const probe::Address&, const std::optional<probe::Address>&) {
    throw Unreadable("a captured tree does not hold a machine's routes");
}

}  // namespace diag::link
