// Which of two sizes the way there carries, judged by answers that are always small: a UDP packet to a port where
// nobody listens is answered by an ICMP error of at most 576 bytes (RFC 1812; IPv6: 1280).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "probe/address.hpp"

namespace mtu {

struct OneWay {
    bool small = false;         // answered
    std::optional<bool> large;  // arrives; nothing: not known
};

// What one round of both sizes was answered: the large one is sent first.
struct Heard {
    bool large = false, small = false;
};

// Hosts limit their ICMP errors (Linux net.ipv4.icmp_ratelimit: about six at once, then one a second), so silence may only
// mean that too much was asked lately.  The large one is lost where a small one behind it is answered, twice.
// `ask` is given the number of the round, from 1; `rest` waits until one more answer is allowed.
OneWay weigh(const std::function<Heard(int round)>& ask, const std::function<void()>& rest);

OneWay ask_one_way(const diag::probe::Address& destination, const std::string& interface, std::int64_t small, std::int64_t large,
                   std::chrono::milliseconds patience);

}  // namespace mtu
