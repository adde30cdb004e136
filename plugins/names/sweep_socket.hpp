// The socket of a sweep: an ICMP socket whose buffers hold what thousands of addresses may answer at once.
#pragma once

#include <cstdint>
#include <string>

#include "probe/echo_socket.hpp"

namespace diag::names {

// Raw, else datagram; never UDP, which a host answers once a second.  Throws std::system_error where neither opens.
probe::OpenedEcho open_sweep_socket(int family, const std::string& interface);

// Packets that came for it and found its receive buffer full.
std::uint32_t dropped_by(int fd);

}  // namespace diag::names
