#include "sweep_targets.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <tuple>

#include <fmt/format.h>

#include <diag/units.hpp>

#include "base/utf8.hpp"

namespace diag::names {

namespace {

// An address as two numbers that count: all of IPv4 is in `low`; 64 bits each of IPv6.
struct Number {
    std::uint64_t high = 0, low = 0;
};

Number number_of(const probe::Address& address) {
    if (!address.v6()) return {0, ntohl(reinterpret_cast<const sockaddr_in*>(address.get())->sin_addr.s_addr)};
    Number number;
    const auto& bytes = reinterpret_cast<const sockaddr_in6*>(address.get())->sin6_addr.s6_addr;
    for (std::size_t i = 0; i < 8; ++i) {
        number.high = number.high << 8 | bytes[i];
        number.low = number.low << 8 | bytes[i + 8];
    }
    return number;
}

// `like` with other low bits: family and scope stay.
probe::Address with_low(const probe::Address& like, std::uint64_t low) {
    if (!like.v6()) {
        sockaddr_in in{};
        std::memcpy(&in, like.get(), sizeof in);
        in.sin_addr.s_addr = htonl(static_cast<std::uint32_t>(low));
        return {reinterpret_cast<const sockaddr*>(&in), sizeof in};
    }
    sockaddr_in6 in{};
    std::memcpy(&in, like.get(), sizeof in);
    for (std::size_t i = 16; i-- > 8; low >>= 8) in.sin6_addr.s6_addr[i] = static_cast<std::uint8_t>(low & 0xff);
    return {reinterpret_cast<const sockaddr*>(&in), sizeof in};
}

auto order(const probe::Address& address) {
    const Number number = number_of(address);
    return std::tuple(address.v6(), address.scope(), number.high, number.low);
}

bool one_machine(const probe::Address& address) {
    const Number number = number_of(address);
    if (number.high == 0 && number.low == 0) return false;
    if (address.v6()) return number.high >> 56 != 0xff;
    return number.low < 0xe0000000;  // multicast, reserved and broadcast above (RFC 5771, RFC 1112)
}

[[noreturn]] void refuse(std::string_view text, const std::string& what) {
    throw BadValue(fmt::format("'{}' {}", base::printable(text), what));
}

std::vector<probe::Address> between(std::string_view text, const probe::Address& like, Number from, Number to, std::size_t most) {
    if (from.high != to.high || to.low - from.low >= most) refuse(text, fmt::format("has more than {} addresses", most));
    std::vector<probe::Address> all;
    for (std::uint64_t i = 0; i <= to.low - from.low; ++i) all.push_back(with_low(like, from.low + i));
    if (!one_machine(all.front()) || !one_machine(all.back())) refuse(text, "holds an address that no single machine has");
    return all;
}

std::vector<probe::Address> prefix(std::string_view text, std::size_t slash, std::size_t most) {
    const auto network = probe::Address::parse(text.substr(0, slash));
    const std::string_view written = text.substr(slash + 1);
    unsigned bits = 0;
    const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), bits);
    const unsigned width = network && network->v6() ? 128 : 32;
    if (!network || error != std::errc{} || end != written.data() + written.size() || bits > width)
        refuse(text, "is no prefix such as 10.0.0.0/22 or fd00::/120");
    const unsigned hosts = width - bits;
    if (hosts > 32) refuse(text, fmt::format("has more than {} addresses", most));
    const std::uint64_t last = (std::uint64_t{1} << hosts) - 1;
    Number from = number_of(*network);
    if ((from.low & last) != 0)
        refuse(text, fmt::format("is no network: that is {}/{}", with_low(*network, from.low & ~last).text(), bits));
    Number to{from.high, from.low | last};
    if (hosts >= 2) {  // the network and its broadcast address (RFC 1122); the routers' anycast address (RFC 4291 2.6.1)
        ++from.low;
        to.low -= network->v6() ? 0 : 1;
    }
    return between(text, *network, from, to, most);
}

std::vector<probe::Address> range(std::string_view text, const probe::Address& first, std::size_t dash, std::size_t most) {
    const auto last = probe::Address::parse(text.substr(dash + 1));
    if (!last || last->v6() != first.v6() || last->scope() != first.scope() || order(*last) < order(first))
        refuse(text, "is no range such as 10.0.0.1-10.0.0.200");
    return between(text, first, number_of(first), number_of(*last), most);
}

}  // namespace

std::optional<std::vector<probe::Address>> addresses_of(std::string_view text, std::size_t most) {
    if (const auto slash = text.find('/'); slash != std::string_view::npos) return prefix(text, slash, most);
    if (const auto single = probe::Address::parse(text)) return between(text, *single, number_of(*single), number_of(*single), most);
    if (const auto dash = text.find('-'); dash != std::string_view::npos)  // names have dashes as well
        if (const auto first = probe::Address::parse(text.substr(0, dash))) return range(text, *first, dash, most);
    if (text.empty() || text.find_first_of(": \t%,") != std::string_view::npos) refuse(text, "is no address, prefix, range or name");
    return std::nullopt;
}

std::string ranges_text(std::vector<probe::Address> addresses, std::size_t most) {
    std::sort(addresses.begin(), addresses.end(), [](const auto& a, const auto& b) { return order(a) < order(b); });
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    std::string text;
    std::size_t pieces = 0;
    for (std::size_t first = 0; first < addresses.size(); ++pieces) {
        if (pieces == most) return text + fmt::format(" and {} more addresses", addresses.size() - first);
        std::size_t last = first;
        while (last + 1 < addresses.size() && addresses[last + 1] == with_low(addresses[last], number_of(addresses[last]).low + 1)) ++last;
        text += (text.empty() ? "" : ", ") + addresses[first].text() + (last > first ? "-" + addresses[last].text() : "");
        first = last + 1;
    }
    return text;
}

}  // namespace diag::names
