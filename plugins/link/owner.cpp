#include "owner.hpp"

#include <sstream>
#include <vector>

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

// NetworkManager as well; it writes netplan's connections with that word in front (netplan(5)).
std::string network_manager(const path& root, const std::string& index, const std::string& name) {
    const std::string state = probe::sysfs_word(root, "/run/NetworkManager/devices/" + index);
    if (value_in(state, "connection-uuid").empty()) return "";
    const std::string connection = "/run/NetworkManager/system-connections/netplan-" + name + ".nmconnection";
    return probe::sysfs_word(root, connection).empty() ? "NetworkManager" : "netplan (NetworkManager)";
}

// "eth0=eth0" for each interface that ifup(8) has brought up.
std::string ifupdown(const path& root, const std::string& name) {
    return value_in(probe::sysfs_word(root, "/run/network/ifstate"), name).empty() ? "" : "ifupdown";
}

}  // namespace

std::string owner_of(const path& root, const probe::Interface& interface) {
    const std::string index = std::to_string(interface.index);
    std::string owners;
    for (const auto& owner : {networkd(root, index), network_manager(root, index, interface.name), ifupdown(root, interface.name)})
        if (!owner.empty()) owners += (owners.empty() ? "" : " + ") + owner;
    return owners;
}

}  // namespace diag::link
