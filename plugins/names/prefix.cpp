#include "prefix.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace diag::names {

namespace {

// The address in network order: 4 or 16 bytes.
std::vector<std::uint8_t> bytes_of(const probe::Address& address) {
    if (!address.v6()) {
        std::vector<std::uint8_t> bytes(sizeof(in_addr));
        std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in*>(address.get())->sin_addr, bytes.size());
        return bytes;
    }
    std::vector<std::uint8_t> bytes(sizeof(in6_addr));
    std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6*>(address.get())->sin6_addr, bytes.size());
    return bytes;
}

}  // namespace

bool in_prefix(const probe::Address& address, const probe::Address& network, unsigned bits) {
    const auto a = bytes_of(address), b = bytes_of(network);
    if (a.size() != b.size() || bits > a.size() * 8) return false;
    for (std::size_t i = 0; bits > 0; ++i) {
        const unsigned here = std::min(bits, 8U);
        const auto mask = static_cast<std::uint8_t>(0xff << (8 - here));
        if (((a[i] ^ b[i]) & mask) != 0) return false;
        bits -= here;
    }
    return true;
}

bool on_link(const std::vector<probe::InterfaceAddress>& addresses, unsigned interface, const probe::Address& address) {
    return std::any_of(addresses.begin(), addresses.end(), [&](const probe::InterfaceAddress& own) {
        return own.interface == interface && in_prefix(address, own.address, own.prefix);
    });
}

bool family_in_use(const std::vector<probe::InterfaceAddress>& addresses, const probe::Address& address) {
    return std::any_of(addresses.begin(), addresses.end(), [&](const probe::InterfaceAddress& own) {
        return own.address.v6() == address.v6() && !own.address.loopback() && own.address.scope() == 0;
    });
}

}  // namespace diag::names
