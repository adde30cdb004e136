// What an ICMP error means for reachability, and its words.  RFC 792, RFC 1122, RFC 1812; RFC 4443 for IPv6.
#pragma once

#include <string>

#include "probe/echo.hpp"

namespace diag::names {

enum class Refusal {
    firewall,     // administratively prohibited, or a kind of unreachable that only a filter gives for an echo
    unreachable,  // a router knows no way, or got no answer from the host behind it
    loop,         // the time to live ran out
    other,
};

// `from_destination`: the probed host itself is the sender; a host that says of itself that it is unreachable is a filter.
Refusal refusal_of(const probe::EchoAnswer& error, bool v6, bool from_destination);

// "host unreachable (type 3, code 1)"
std::string icmp_words(const probe::EchoAnswer& error, bool v6);

}  // namespace diag::names
