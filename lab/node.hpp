// Becoming a node: its network, its names, its host name, for one command.
#pragma once

#include <string>
#include <vector>

namespace diag::lab {

// Replaces this process by `command`, run as the node: the network namespace, a mount namespace of its own with a /sys that
// shows it and with the node's files over /etc, and its host name.  DIAG_MACHINE, DIAG_SITE and DIAG_LAB are set.
// Returns only where the command could not be started: 126 or 127, as a shell would, with a word on stderr.
// Throws std::system_error where the node could not be become.
int exec_as(const std::string& node, const std::vector<std::string>& command);

}  // namespace diag::lab
