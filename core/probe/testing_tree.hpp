// For tests only: a small captured tree (--root) in a folder of its own, with network devices in the shapes that sysfs has.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

namespace diag::probe::testing {

class Tree {
  public:
    using Files = std::map<std::string, std::string>;

    Tree() {
        std::string name = (std::filesystem::temp_directory_path() / "diag-tree-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for a tree");
        root_ = name;
        std::filesystem::create_directories(root_ / "sys/class/net");
    }
    ~Tree() { std::filesystem::remove_all(root_); }
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;

    const std::filesystem::path& root() const { return root_; }
    std::string text() const { return root_.string(); }

    void file(const std::string& path, const std::string& content) {
        const auto at = made(path);
        std::ofstream(at) << content << "\n";
    }
    void link(const std::string& path, const std::string& to) {
        const auto at = made(path);
        std::filesystem::create_symlink(to, at);
    }
    // Stands for a file that the kernel refuses to read (EINVAL, EOPNOTSUPP): reading it fails, and it is not missing.
    void refused(const std::string& path) { std::filesystem::create_directories(made(path)); }

    // An interface with these files in its folder; the values that every one has are filled in.
    // `parent` is its device below /sys/devices ("pci0000:00/0000:00:03.0/virtio2"), or "" for a virtual one.  Returns its folder.
    std::string interface(const std::string& name, const std::string& parent, Files files) {
        const std::string device = "/sys/devices/" + (parent.empty() ? "virtual" : parent), own = device + "/net/" + name;
        files.merge(Files{{"ifindex", std::to_string(++index_)},
                          {"flags", "0x1003"},
                          {"operstate", "up"},
                          {"carrier", "1"},
                          {"mtu", "1500"},
                          {"address", "02:00:00:00:00:0" + std::to_string(index_)},
                          {"addr_assign_type", "0"},
                          {"uevent", "INTERFACE=" + name}});
        for (const auto& [file_name, content] : files) file(own + "/" + file_name, content);
        link("/sys/class/net/" + name, "../.." + own.substr(4));
        if (!parent.empty()) link(own + "/device", "../../../" + std::filesystem::path(parent).filename().string());
        return own;
    }
    // The bus and the driver of a device.
    void device(const std::string& parent, const std::string& bus, const std::string& driver) {
        link("/sys/devices/" + parent + "/subsystem", "/sys/bus/" + bus);
        link("/sys/devices/" + parent + "/driver", "/sys/bus/" + bus + "/drivers/" + driver);
    }

  private:
    std::filesystem::path made(const std::string& path) const {
        const auto at = root_ / path.substr(1);
        std::filesystem::create_directories(at.parent_path());
        return at;
    }
    std::filesystem::path root_;
    unsigned index_ = 0;
};

}  // namespace diag::probe::testing
