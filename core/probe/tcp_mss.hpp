// The segment size that a peer offers in its TCP handshake: the one thing a plain host says about the MTU of its
// own interface.  Not for finding services: the first port that accepts is used, and nothing is sent to it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/address.hpp"

namespace diag::probe {

struct PeerMss {
    unsigned port = 0;       // that accepted
    std::int64_t bytes = 0;  // of payload, without options
    bool exact = true;       // false: the peer offers at least this; our own route or interface allows no more
    // The MTU that an interface with this segment size has (RFC 879, RFC 8200): 40 bytes of headers, 60 for IPv6.
    std::int64_t mtu(bool v6) const { return bytes + (v6 ? 60 : 40); }
};

// Connects to all `ports` at once, through `interface` where one is given, and asks the first that accepts.
// Nothing where none does before `patience` is over.  Throws std::system_error where there is no socket.
std::optional<PeerMss> peer_mss(const Address& peer, const std::vector<unsigned>& ports, const std::string& interface,
                                std::chrono::milliseconds patience);

}  // namespace diag::probe
