// Opens the kernel's socket for echo probes and sets every option they need.  For EchoSocket, and for sweeps
// over one socket.
#pragma once

#include <cstdint>

#include "base/fd.hpp"
#include "probe/echo.hpp"

namespace diag::probe {

struct OpenedEcho {
    base::Fd fd;
    EchoMethod method = EchoMethod::icmp_raw;
    std::uint16_t id = 0;  // the ICMP identifier that replies will carry
};

// The method asked for, else the best that opens.  Throws std::system_error, with what each one answered.
OpenedEcho open_echo(int family, const EchoSocket::Options& options);

}  // namespace diag::probe
