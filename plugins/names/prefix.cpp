#include "prefix.hpp"

#include <algorithm>

namespace diag::names {

bool on_link(const std::vector<probe::InterfaceAddress>& addresses, unsigned interface, const probe::Address& address) {
    return std::any_of(addresses.begin(), addresses.end(),
                       [&](const probe::InterfaceAddress& own) { return own.interface == interface && own.holds(address); });
}

bool family_in_use(const std::vector<probe::InterfaceAddress>& addresses, const probe::Address& address) {
    return std::any_of(addresses.begin(), addresses.end(), [&](const probe::InterfaceAddress& own) {
        return own.address.v6() == address.v6() && !own.address.loopback() && own.address.scope() == 0;
    });
}

}  // namespace diag::names
