#include "owner.hpp"

#include <strings.h>

#include <sstream>
#include <vector>

#include <diag/verdict.hpp>

#include "probe/files.hpp"
#include "probe/port.hpp"

namespace diag::link {
namespace {

using std::filesystem::path;

// The value of KEY=... in a file of such lines; "" where there is none.
std::string value_in(const std::string& text, const std::string& key) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(key + "=")) return line.substr(key.size() + 1);
    return "";
}

// systemd-networkd(8) keeps a file for each interface by number; without a .network file that fits it leaves the interface alone.
std::string networkd(const path& root, const std::string& index) {
    const std::string file = value_in(probe::sysfs_word(root, "/run/systemd/netif/links/" + index), "NETWORK_FILE");
    if (file.empty()) return "";
    return file.find("netplan") != std::string::npos ? "netplan (networkd)" : "networkd";
}

enum class Netplan { yes, no, unknown };

// Whether this keyfile of netplan's is the connection of the interface: by the uuid where it has one ("netplan-NM-UUID" when
// NetworkManager handed its own connection to netplan), else by what it is bound to.
Netplan is_of(const std::string& text, const std::string& file, const std::string& uuid, const probe::Interface& interface) {
    if (const std::string own = value_in(text, "uuid"); !own.empty()) return own == uuid ? Netplan::yes : Netplan::no;
    if (file == "netplan-" + interface.name + ".nmconnection") return Netplan::yes;
    const std::string name = value_in(text, "interface-name"), mac = value_in(text, "mac-address");
    if (name.empty() && mac.empty()) return Netplan::unknown;
    const auto is = [&](const std::string& own) { return !own.empty() && ::strcasecmp(own.c_str(), mac.c_str()) == 0; };
    return name == interface.name || is(interface.permanent_mac) || is(interface.mac) ? Netplan::yes : Netplan::no;
}

// netplan writes its connections to NetworkManager's folder in /run, with its name in front (netplan(5)); it is root's alone.
Netplan netplan_behind(const path& root, const std::string& uuid, const probe::Interface& interface) {
    const std::string folder = "/run/NetworkManager/system-connections/";
    Netplan found = Netplan::no;
    try {
        for (const auto& file : probe::list_folder(root, folder)) {
            if (!file.starts_with("netplan-")) continue;
            const Netplan one =
                file.starts_with("netplan-NM-" + uuid) ? Netplan::yes : is_of(probe::read_text(root, folder + file), file, uuid, interface);
            if (one == Netplan::yes) return one;
            if (one == Netplan::unknown) found = one;
        }
    } catch (const Absent&) {  // there is none, or it has just gone
    } catch (const Unreadable&) {
        return Netplan::unknown;
    }
    return found;
}

// NetworkManager keeps such a file as well.
std::string network_manager(const path& root, const std::string& index, const probe::Interface& interface) {
    const std::string uuid = value_in(probe::sysfs_word(root, "/run/NetworkManager/devices/" + index), "connection-uuid");
    if (uuid.empty()) return "";
    switch (netplan_behind(root, uuid, interface)) {
        case Netplan::yes:
            return "netplan (NetworkManager)";
        case Netplan::no:
            return "NetworkManager";
        default:
            return "NetworkManager (whether netplan is behind it is not readable)";
    }
}

// "eth0=eth0" for each interface that ifup(8) has brought up.
std::string ifupdown(const path& root, const std::string& name) {
    return value_in(probe::sysfs_word(root, "/run/network/ifstate"), name).empty() ? "" : "ifupdown";
}

}  // namespace

std::string owner_of(const path& root, const probe::Interface& interface) {
    const std::string index = std::to_string(interface.index);
    std::string owners;
    for (const auto& owner : {networkd(root, index), network_manager(root, index, interface), ifupdown(root, interface.name)})
        if (!owner.empty()) owners += (owners.empty() ? "" : " + ") + owner;
    return owners;
}

}  // namespace diag::link
