// Waiting until a server that was just started serves, by the kernel's own table of sockets.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace diag::lab {

// Returns when somebody listens on that TCP port in the process's network, or when `connections` are established to it from there.
// Throws CommandFailed with `name` where the process ends before that, or after five seconds.
void await_listening(const std::string& name, pid_t pid, std::uint16_t port);
void await_connected(const std::string& name, pid_t pid, std::uint16_t port, int connections);

}  // namespace diag::lab
