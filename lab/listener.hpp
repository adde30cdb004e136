// One small process per node that accepts TCP connections on the ssh port and closes them, so that a check finds some port
// that answers.  It is no server: it reads nothing and says nothing.
#pragma once

#include <string>

namespace diag::lab {

// Starts the node's listener where none answers; it is recorded before it listens, and ends if it cannot be.
// It holds no descriptor of this process.  Throws std::system_error.
void start_listener(const std::string& node);

}  // namespace diag::lab
