#include "address_clash.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace diag::link {
namespace {

bool on_every_machine(const probe::Address& address) {
    static const std::array<std::pair<probe::Address, unsigned>, 4> networks = {{{probe::Address::parse("169.254.0.0").value(), 16},
                                                                                 {probe::Address::parse("fe80::").value(), 10},
                                                                                 {probe::Address::parse("224.0.0.0").value(), 4},
                                                                                 {probe::Address::parse("ff00::").value(), 8}}};
    return address.loopback() || std::any_of(networks.begin(), networks.end(),
                                             [&](const auto& network) { return probe::in_prefix(address, network.first, network.second); });
}

}  // namespace

std::vector<AddressClash> address_clashes(const std::vector<OwnedAddress>& here, const std::vector<OwnedAddress>& there) {
    std::vector<AddressClash> found;
    for (const auto& mine : here)
        for (const auto& theirs : there)
            if (mine.address == theirs.address && !on_every_machine(mine.address))
                found.push_back({mine.address, mine.interface, theirs.interface, mine.container_bridge && theirs.container_bridge,
                                 int{mine.service} + int{theirs.service}});
    return found;
}

}  // namespace diag::link
