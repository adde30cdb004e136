// Runs the programs that the lab is built with (ip, tc, nft, ethtool): argv only, output kept for the message.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace diag::lab {

using Argv = std::vector<std::string>;

struct CommandFailed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Runs `argv` to its end; looked up in the system's own folders, never in the caller's PATH.  `input` is its stdin.
// Returns what it wrote to stdout.  Throws CommandFailed with the command and its stderr when it does not exit with 0.
std::string run(const Argv& argv, const std::string& input = {});

// Its path in the system's own folders, or ""; one that is a path already is only looked for.
std::string find_program(const std::string& name);

// Throws CommandFailed naming every program that is absent, and its Debian package.
void require_programs();

}  // namespace diag::lab
