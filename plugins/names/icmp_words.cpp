#include "icmp_words.hpp"

#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace diag::names {

namespace {

struct Meaning {
    Refusal refusal;
    std::string_view words;
};

using enum Refusal;

// Type 3; 0 to 5 RFC 792, 6 to 12 RFC 1122, 13 to 15 RFC 1812.  An echo has no port and no unknown protocol.
constexpr Meaning v4_unreachable[] = {
    {unreachable, "network unreachable"},
    {unreachable, "host unreachable"},
    {firewall, "protocol unreachable"},
    {firewall, "port unreachable"},
    {other, "fragmentation needed"},
    {unreachable, "source route failed"},
    {unreachable, "network unknown"},
    {unreachable, "host unknown"},
    {unreachable, "source host isolated"},
    {firewall, "network prohibited"},
    {firewall, "host prohibited"},
    {unreachable, "network unreachable for this service"},
    {unreachable, "host unreachable for this service"},
    {firewall, "administratively prohibited"},
    {firewall, "host precedence violation"},
    {firewall, "precedence cutoff"},
};

// ICMPv6 type 1, RFC 4443 3.1.
constexpr Meaning v6_unreachable[] = {
    {unreachable, "no route"},
    {firewall, "administratively prohibited"},
    {unreachable, "beyond the scope of the source address"},
    {unreachable, "address unreachable"},
    {firewall, "port unreachable"},
    {firewall, "source address refused by policy"},
    {firewall, "reject route"},
};

Meaning meaning(const probe::EchoAnswer& error, bool v6) {
    const unsigned code = error.code;
    if (!v6 && error.type == 3 && code < std::size(v4_unreachable)) return v4_unreachable[code];
    if (v6 && error.type == 1 && code < std::size(v6_unreachable)) return v6_unreachable[code];
    if (error.type == (v6 ? 3 : 11)) return {loop, "time to live exceeded"};
    return {other, "ICMP error"};
}

}  // namespace

Refusal refusal_of(const probe::EchoAnswer& error, bool v6, bool from_destination) {
    const Refusal refusal = meaning(error, v6).refusal;
    return refusal == unreachable && from_destination ? firewall : refusal;
}

std::string icmp_words(const probe::EchoAnswer& error, bool v6) {
    return fmt::format("{} (type {}, code {})", meaning(error, v6).words, error.type, error.code);
}

}  // namespace diag::names
