#include "probe/address.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <arpa/inet.h>
#include <net/if.h>

namespace diag::probe {

static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));

namespace {

// sockaddr_storage read as the type its family says, without breaking the aliasing rules.
template <class T>
T as(const sockaddr_storage& storage) {
    T value;
    std::memcpy(&value, &storage, sizeof value);
    return value;
}

// Only these addresses mean something else on another interface (RFC 4007).
bool scoped(const in6_addr& address) { return IN6_IS_ADDR_LINKLOCAL(&address) || IN6_IS_ADDR_MC_LINKLOCAL(&address); }

unsigned scope_index(const std::string& name) {
    if (const unsigned index = if_nametoindex(name.c_str()); index != 0) return index;
    unsigned index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    return error == std::errc{} && end == name.data() + name.size() ? index : 0;
}

// The address in network order: 4 or 16 bytes.
std::vector<std::uint8_t> bytes_of(const Address& address) {
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

Address::Address(const sockaddr* address, socklen_t length) {
    std::memcpy(&storage_, address, std::min<std::size_t>(length, sizeof storage_));
    if (!v6()) return;
    auto in = as<sockaddr_in6>(storage_);
    if (!scoped(in.sin6_addr)) in.sin6_scope_id = 0;
    std::memcpy(&storage_, &in, sizeof in);
}

std::optional<Address> Address::parse(std::string_view text) {
    const std::size_t percent = text.find('%');
    const std::string bare(text.substr(0, percent));
    if (bare.size() != std::min(percent, text.size()) || bare.find('\0') != std::string::npos) return std::nullopt;
    sockaddr_in v4{};
    if (percent == std::string_view::npos && inet_pton(AF_INET, bare.c_str(), &v4.sin_addr) == 1) {
        v4.sin_family = AF_INET;
        return Address(reinterpret_cast<const sockaddr*>(&v4), sizeof v4);
    }
    sockaddr_in6 in{};
    if (inet_pton(AF_INET6, bare.c_str(), &in.sin6_addr) != 1) return std::nullopt;
    in.sin6_family = AF_INET6;
    if (percent != std::string_view::npos) {
        in.sin6_scope_id = scope_index(std::string(text.substr(percent + 1)));
        if (in.sin6_scope_id == 0 || !scoped(in.sin6_addr)) return std::nullopt;
    }
    return Address(reinterpret_cast<const sockaddr*>(&in), sizeof in);
}

bool Address::loopback() const {
    if (family() == AF_INET) return (ntohl(as<sockaddr_in>(storage_).sin_addr.s_addr) >> 24) == 127;
    if (!v6()) return false;
    const in6_addr address = as<sockaddr_in6>(storage_).sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&address) || (IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == 127);
}

std::string Address::text() const {
    char buffer[INET6_ADDRSTRLEN] = "";
    if (family() == AF_INET) {
        const in_addr address = as<sockaddr_in>(storage_).sin_addr;
        return inet_ntop(AF_INET, &address, buffer, sizeof buffer);
    }
    if (!v6()) return "";
    const in6_addr address = as<sockaddr_in6>(storage_).sin6_addr;
    std::string text = inet_ntop(AF_INET6, &address, buffer, sizeof buffer);
    if (scope() == 0) return text;
    char name[IF_NAMESIZE] = "";
    return text + "%" + (if_indextoname(scope(), name) != nullptr ? name : std::to_string(scope()));
}

unsigned Address::scope() const { return v6() ? as<sockaddr_in6>(storage_).sin6_scope_id : 0; }

bool Address::lacks_scope() const { return v6() && scope() == 0 && scoped(as<sockaddr_in6>(storage_).sin6_addr); }

Address Address::on(unsigned interface) const {
    if (!lacks_scope()) return *this;
    auto in = as<sockaddr_in6>(storage_);
    in.sin6_scope_id = interface;
    return Address(reinterpret_cast<const sockaddr*>(&in), sizeof in);
}

// sin_port and sin6_port stand in the same place, behind the family.
unsigned Address::port() const { return ntohs(as<sockaddr_in>(storage_).sin_port); }

Address Address::with_port(unsigned port) const {
    Address copy = *this;
    const in_port_t wire = htons(static_cast<std::uint16_t>(port));
    std::memcpy(reinterpret_cast<char*>(&copy.storage_) + offsetof(sockaddr_in, sin_port), &wire, sizeof wire);
    return copy;
}

bool in_prefix(const Address& address, const Address& network, unsigned bits) {
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

bool Address::operator==(const Address& other) const {
    if (family() != other.family()) return false;
    if (family() == AF_INET) return as<sockaddr_in>(storage_).sin_addr.s_addr == as<sockaddr_in>(other.storage_).sin_addr.s_addr;
    if (!v6()) return true;
    const auto a = as<sockaddr_in6>(storage_), b = as<sockaddr_in6>(other.storage_);
    return IN6_ARE_ADDR_EQUAL(&a.sin6_addr, &b.sin6_addr) && a.sin6_scope_id == b.sin6_scope_id;
}

}  // namespace diag::probe
