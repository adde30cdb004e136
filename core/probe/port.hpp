// What sysfs tells of a network interface: its device, driver and place on the bus, its port, its speed as the driver reports it.
// Reads below --root where one is given.  Not for flags, carrier and addresses of this machine: netlink.hpp has those.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <diag/units.hpp>

namespace diag::probe {

// A value that the kernel gave, or why it did not.
struct Speed {
    std::optional<Rate> rate;
    std::string unknown;  // "the driver says -1", "Invalid argument": never both
};

struct Port {
    std::string name;
    unsigned index = 0;       // to be compared with netlink's: /sys may show another network namespace
    std::string type;         // DEVTYPE of its uevent: "wlan", "bridge", "bond", "vlan"...; "" for plain ones
    std::string device;       // "/sys/devices/pci0000:00/0000:00:03.0/virtio2"; "" for a virtual interface
    std::string bus;          // of the device: "pci", "virtio", "usb", "platform"; "" where there is none
    std::string pci;          // the PCI function that it belongs to, "0000:00:03.0"; "" where there is none
    std::string driver;       // "mlx5_core"; "" where there is none
    std::string port_name;    // phys_port_name, "p0"; "" where the driver gives none
    std::string switch_id;    // phys_switch_id, hexadecimal; "" where the driver gives none
    std::string board;        // sys_image_guid of its RDMA device: one for all functions of an adapter; "" where there is none
    std::string bond_member;  // the MAC it had before it joined a bond; "" where it is in none
    std::string duplex;       // full, half, unknown; "" where the kernel does not say
    Speed speed;              // means something only with carrier: it can be stale without
};

// Throws diag::Absent where /sys has no such interface, diag::Unreadable where its folder cannot be read.
Port port(const std::filesystem::path& root, const std::string& name);

// The interfaces that /sys shows, sorted by name.
std::vector<std::string> port_names(const std::filesystem::path& root);

// "0000:01:00.0": domain (four digits or more), bus, device and function, in hexadecimal.
bool is_pci_function(std::string_view word);

// A file of sysfs without its line's end; "" where it is missing, or where the driver refuses it because it has no such thing.
std::string sysfs_word(const std::filesystem::path& root, const std::string& path);

}  // namespace diag::probe
