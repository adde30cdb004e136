// One datagram off an echo socket, with what the kernel says about it: when it came, how it was fragmented,
// and for the error queue whose ICMP error it is.  For EchoSocket, and for sweeps over one socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <linux/errqueue.h>

#include "probe/address.hpp"

namespace diag::probe {

struct EchoMessage {
    Address peer;                     // the sender; on the error queue, where our own packet was going
    std::size_t size = 0;             // bytes in the buffer
    std::chrono::nanoseconds age{0};  // since the kernel received it
    std::int64_t fragment_size = 0;   // IP bytes of the largest fragment; 0: it came in one piece
    std::optional<sock_extended_err> error;
    Address offender;  // who sent the ICMP error; empty for a local one
};

// Reads without waiting, from the error queue where `flags` has MSG_ERRQUEUE.  Nothing where there is none.
std::optional<EchoMessage> read_message(int fd, int flags, std::vector<std::uint8_t>& buffer);

}  // namespace diag::probe
