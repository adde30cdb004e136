// Starts another program as a child that does not outlive its parent.  Subprocess (subprocess.hpp) watches it; nothing else needs this.
#pragma once

#include <string>
#include <system_error>
#include <vector>

#include <sys/types.h>

namespace diag::probe {

// What the child's three streams are.  All are close-on-exec here.
struct Streams {
    int in = -1, out = -1, err = -1;
};

// execve(2) refused the file; code() says why.
class CannotExecute : public std::system_error {
  public:
    using std::system_error::system_error;
};

// Executes `path` in a process group of its own, with default signals and no other descriptor of ours.  It is killed when the thread
// that started it ends, however that ends: what a killed check leaves behind would go on loading a link, or listening.
// (The kernel takes that back from a set-user-ID program, or one with capabilities: prctl(2), PR_SET_PDEATHSIG.)
// Throws CannotExecute, and std::system_error where no process can be made.
pid_t spawn(const std::string& path, const std::vector<std::string>& argv, const std::vector<std::string>& environment,
            const Streams& streams);

}  // namespace diag::probe
