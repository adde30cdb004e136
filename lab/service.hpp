// A process of a node that lives on after the command that started it: recorded before it does anything, so that `down` and
// `mend` find it, whatever was killed meanwhile.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "base/fd.hpp"

namespace diag::lab {

struct Service {
    std::string name;                   // "the listener of node-a", for messages
    std::function<base::Fd()> prepare;  // in the node's network, before it is recorded; throws std::system_error
    std::function<void(int fd)> serve;  // takes over the process, with what prepare() gave; its return ends it
};

// Returns its pid; nothing where prepare() found its port taken (EADDRINUSE).  It holds no descriptor of this process, and has
// a session of its own.  Throws std::system_error or std::runtime_error.
std::optional<pid_t> start_service(const std::string& node, const Service& service);

}  // namespace diag::lab
