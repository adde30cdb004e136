// How long a host that limits its answers is left alone.
#pragma once

#include <chrono>

namespace mtu {

// Linux allows one ICMP error a second to each host once a burst is used up (net.ipv4.icmp_ratelimit, icmp(7)), and firewalls
// that limit echo usually count in seconds as well.
constexpr std::chrono::milliseconds one_answer{1050};

}  // namespace mtu
