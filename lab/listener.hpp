// Where there is no sshd: one small process per node that accepts TCP connections on the ssh port and closes them, so that a check
// finds some port that answers.  It is no server: it reads nothing and says nothing.
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.hpp"

namespace diag::lab {

inline constexpr std::uint16_t ssh_port = 22;

// Starts the node's listener where none answers.  Throws as start_service() does.
void start_listener(const std::string& node);

// Ends the node's, those of every node where `node` is empty.
void end_listener(const std::string& node = {});

// A listening socket in this thread's network, for IPv6 and IPv4, or for IPv4 alone where the kernel has no IPv6.
// Throws std::system_error; EADDRINUSE where somebody listens there.
base::Fd listening_socket(std::uint16_t port);

}  // namespace diag::lab
