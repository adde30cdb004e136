// `diag lab`: a small cluster of network namespaces on this machine, and its faults, for rehearsal and tests.
// Not for anything real: it never touches this machine's own interfaces, names or rules.
#pragma once

#include <string>
#include <vector>

namespace diag::lab {

struct Settings {
    std::string program = "diag";  // how the user calls this program; for messages only
};

// Runs one subcommand; `args` is what stands after `diag lab`.  Data goes to stdout, messages to stderr.
// Returns the exit status: 0 done; 64 usage, no root or no lab (nothing was done); 3 where something could not be
// done (an interrupted or failed `up` has taken itself down again); of `exec`, the command's own.  A signal that ends
// `up`, `break` or `mend` ends this process by the same signal.
int main(const std::vector<std::string>& args, const Settings& settings);

}  // namespace diag::lab
