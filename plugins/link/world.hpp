// What the checks of this plugin see of the outside: one interface, so that their judgement is tested without a network.
// system_world() is the real one; the tests have a twin in memory (fake_world.hpp).
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probe/netlink.hpp"

namespace diag::link {

class World {
  public:
    virtual ~World() = default;
    virtual std::vector<probe::Interface> interfaces() = 0;
    // By name or alternative name.  Throws diag::Absent with the nearest name there is.
    virtual probe::Interface interface(const std::string& name) = 0;
    // Throws diag::Unreadable where they cannot be known (a captured tree).
    virtual std::vector<probe::InterfaceAddress> addresses() = 0;
    // As the kernel would send it, from `source` where one is given; nothing: no route.  Unreadable as above.
    virtual std::optional<probe::Route> route(const probe::Address& destination, const std::optional<probe::Address>& source) = 0;
    // The distinct MACs that answer for an address on this link, now; nothing: it cannot be asked (no right to, no Ethernet, a tree).
    virtual std::optional<std::vector<std::string>> owners(const probe::Address& address, unsigned interface) = 0;
    // The same for many addresses, side by side; where that cannot be asked, an echo and the kernel's neighbour entry tell instead.
    virtual std::vector<std::optional<std::vector<std::string>>> heard(const std::vector<probe::Address>& addresses,
                                                                       const probe::Interface& link) {
        std::vector<std::optional<std::vector<std::string>>> all;
        all.reserve(addresses.size());
        for (const auto& address : addresses) all.push_back(owners(address, link.index));
        return all;
    }
    // Where /sys and /proc are read.
    virtual std::filesystem::path root() const = 0;
    virtual void wait(std::chrono::milliseconds time) = 0;
};

// This machine, live; or what a captured tree shows of another, where `root` is not empty.
std::unique_ptr<World> system_world(const std::filesystem::path& root);

}  // namespace diag::link
