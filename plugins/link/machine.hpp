// All interfaces of a machine side by side, each with its addresses and its hardware, and how they stand on each other.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "probe/port.hpp"
#include "world.hpp"

namespace diag::link {

struct Seen {
    probe::Interface interface;
    std::optional<probe::Port> port;  // of hardware only; nothing where /sys does not show it, or shows another network
    std::vector<probe::InterfaceAddress> addresses;

    bool for_containers = false;  // a bridge that no hardware belongs to: for containers or virtual machines

    bool hardware() const { return interface.kind.empty() && !interface.loopback; }
    bool wireless() const { return port && port->type == "wlan"; }
    // Whether it has an address that somebody gave it: link-local IPv6 ones come by themselves.
    bool configured() const;
};

class Machine {
  public:
    // Throws diag::Unreadable where the kernel does not tell its interfaces.
    explicit Machine(World& world);

    const std::vector<Seen>& all() const { return all_; }
    bool addresses_known() const { return addresses_known_; }
    // By name or alternative name.  Throws diag::Absent.
    const Seen& find(const std::string& name) const;
    const Seen* find(unsigned index) const;  // null: no such interface here
    const Seen* master_of(const Seen& member) const { return find(member.interface.master); }
    std::vector<const Seen*> members_of(const Seen& master) const;

    // One stands on the other, or both are members of one bridge or bond: a shared prefix is then no accident.
    bool related(const Seen& one, const Seen& other) const;
    // An interface of the same sort that has the cable and nothing else: no address, no bridge or bond, nothing that stands on it.  Null
    // where there is none, where addresses are not known, or where no cable could be meant.
    const Seen* carrier_elsewhere(const Seen& without) const;
    // The VRF that it belongs to; 0: none.
    unsigned vrf_of(const Seen& seen) const;

    // A line for each, for the evidence.
    std::string table() const;

  private:
    bool takes_cable(const Seen& seen) const;
    void find_container_bridges();

    World& world_;
    std::vector<Seen> all_;
    std::unordered_map<unsigned, std::size_t> places_;  // index -> place in all_
    bool has_hardware_ = false;
    bool addresses_known_ = false;
};

// "eth0, eth1 and eth2"
std::string listed(const std::vector<std::string>& names);
// The first twelve of them, and how many more there are: hundreds would hide what is said of them.
std::string listed_few(std::vector<std::string> names);

}  // namespace diag::link
