// Addresses that two machines have, compared by their lists: for what has both ends' lists before it.
// Not for asking the network: two machines that never meet on one wire have the clash all the same, as soon as a name leads to it.
#pragma once

#include <string>
#include <vector>

#include "probe/address.hpp"

namespace diag::link {

struct OwnedAddress {
    std::string interface;
    probe::Address address;
    bool container_bridge = false;  // Machine::container_bridge: never leaves the machine, unless somebody is told of it
    bool service = false;           // on the loopback or on a dummy: of a service that many machines have on purpose (anycast, IPVS)
};

struct AddressClash {
    probe::Address address;
    std::string here, there;  // interfaces
    // On bridges for containers at both ends (docker0, virbr0): harmless while no name and no peer list has the address.
    bool containers_only = false;
    int services = 0;  // at how many ends it is a service's; at both: meant so
};

// Loopback addresses, those that stay on their link (169.254/16, fe80::/10) and multicast are on every machine, and are no clash.
std::vector<AddressClash> address_clashes(const std::vector<OwnedAddress>& here, const std::vector<OwnedAddress>& there);

}  // namespace diag::link
