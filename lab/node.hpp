// Becoming a node: its network, its names, its host name, for one command or for what serves there.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace diag::lab {

// What is set in the environment of everything that runs as the node: DIAG_MACHINE, DIAG_SITE, DIAG_LAB, and DIAG_LOCK, because
// the nodes share one /run and must not wait for each other as if they were one machine.
std::vector<std::pair<std::string, std::string>> node_environment(const std::string& node);

// This process is the node from here on: the network namespace, a mount namespace of its own with a /sys that shows it and with
// the node's files over /etc and its ssh folder in place, and its host name.  Throws std::system_error.
void become(const std::string& node);

// Replaces this process by `command`, run as the node, with its environment.  Who called sudo is forgotten: in a node one is root.
// Returns only where the command could not be started: 126 or 127, as a shell would, with a word on stderr.
// Throws std::system_error where the node could not be become.
int exec_as(const std::string& node, const std::vector<std::string>& command);

}  // namespace diag::lab
