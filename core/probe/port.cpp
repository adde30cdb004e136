#include "probe/port.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <diag/verdict.hpp>

#include "base/utf8.hpp"
#include "probe/files.hpp"

namespace diag::probe {
namespace {

namespace fs = std::filesystem;

const std::string folder = "/sys/class/net/";

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

// Where a link of sysfs leads, as an absolute path; nothing where there is no such link.
std::optional<std::string> target(const fs::path& root, const std::string& link) {
    try {
        return (fs::path(link).parent_path() / read_link(root, link)).lexically_normal().string();
    } catch (const Absent&) {
        return std::nullopt;
    }
}

std::string last_of(const std::optional<std::string>& path) { return path ? fs::path(*path).filename().string() : ""; }

// The innermost PCI function on the way to a device: a virtio or USB device hangs on one.
std::string pci_of(const std::string& device) {
    std::string found;
    for (const auto& part : fs::path(device))
        if (is_pci_function(part.string())) found = part.string();
    return found;
}

Speed speed_of(const fs::path& root, const std::string& path) {
    std::string text;
    try {
        text = trimmed(read_text(root, path));
    } catch (const Absent&) {
        return {std::nullopt, "the kernel has no speed for it"};
    } catch (const Unreadable& e) {  // EINVAL while the interface is switched off, or where the driver has no answer
        return {std::nullopt, fmt::format("the kernel refuses to tell it: {}", e.what())};
    }
    // SPEED_UNKNOWN is -1 (<linux/ethtool.h>), printed as a signed or unsigned 32-bit number, or cut to 16 bits by old drivers.
    for (const char* const unknown : {"-1", "0", "65535", "4294967295"})
        if (text == unknown) return {std::nullopt, "the driver says " + text};
    constexpr std::int64_t most = 0x7fffffff;  // the kernel prints an int (speed_show() in net/core/net-sysfs.c)
    try {
        if (const auto megabits = units::parse_integer(text); megabits > 0 && megabits <= most) return {Rate{megabits * 1'000'000}, ""};
    } catch (const BadValue&) {  // told below
    }
    return {std::nullopt, "/sys says '" + base::printable(text) + "'"};
}

// "DEVTYPE=bond" among the lines of a uevent file.
std::string device_type(const std::string& uevent) {
    const std::string key = "\nDEVTYPE=", text = "\n" + uevent + "\n";
    const auto at = text.find(key);
    if (at == std::string::npos) return "";
    const auto begin = at + key.size();
    return text.substr(begin, text.find('\n', begin) - begin);
}

std::string board_of(const fs::path& root, const std::string& device) {
    try {
        for (const auto& rdma : list_folder(root, device + "/infiniband"))
            return sysfs_word(root, device + "/infiniband/" + rdma + "/sys_image_guid");
    } catch (const Absent&) {  // no RDMA device
    }
    return "";
}

void read_device(const fs::path& root, const std::string& own, Port& port) {
    const auto device = target(root, own + "/device");
    if (!device) return;
    port.device = *device;
    port.bus = last_of(target(root, *device + "/subsystem"));
    port.pci = pci_of(*device);
    port.driver = last_of(target(root, *device + "/driver"));
    port.board = board_of(root, *device);
}

}  // namespace

bool is_pci_function(std::string_view word) {
    constexpr std::string_view rest = ":xx:xx.x";
    if (word.size() < rest.size() + 4) return false;
    const auto digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    const auto split = word.size() - rest.size();
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (rest[i] == 'x' ? !digit(word[split + i]) : word[split + i] != rest[i]) return false;
    return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(split), digit);
}

std::string sysfs_word(const fs::path& root, const std::string& path) {
    try {
        return trimmed(read_text(root, path));
    } catch (const Absent&) {
        return "";
    } catch (const Unreadable&) {  // EOPNOTSUPP and EINVAL are a driver's ways of having none
        return "";
    }
}

Port port(const fs::path& root, const std::string& name) {
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
        throw Absent("no interface can be called '" + base::printable(name) + "'");
    const auto own = target(root, folder + name);
    if (!own) throw Absent("/sys shows no interface " + base::printable(name));
    Port port;
    port.name = name;
    const std::string index = trimmed(read_text(root, *own + "/ifindex"));
    try {
        port.index = static_cast<unsigned>(units::parse_integer(index));
    } catch (const BadValue&) {
        throw Unreadable(*own + "/ifindex says '" + base::printable(index) + "'");
    }
    port.type = device_type(sysfs_word(root, *own + "/uevent"));
    read_device(root, *own, port);
    port.port_name = sysfs_word(root, *own + "/phys_port_name");
    port.switch_id = sysfs_word(root, *own + "/phys_switch_id");
    port.bond_member = sysfs_word(root, *own + "/bonding_slave/perm_hwaddr");
    port.duplex = sysfs_word(root, *own + "/duplex");
    port.speed = speed_of(root, *own + "/speed");
    return port;
}

std::vector<std::string> port_names(const fs::path& root) {
    std::vector<std::string> names;
    for (const auto& name : list_folder(root, folder)) {
        try {
            read_link(root, folder + name);
            names.push_back(name);
        } catch (const Unreadable&) {  // a file of the bonding driver stands among the interfaces, which are links
        }
    }
    return names;
}

}  // namespace diag::probe
