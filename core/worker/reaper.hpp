// Ends every process below this one.  The worker uses it after each job, the host after a worker that died.
// The process must be a child subreaper, so that orphans come to it and not to init.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "worker/descendants.hpp"

namespace diag::worker {

// A process that SIGKILL did not end: in state D, or of another user.  Where its kernel lets us see it.
struct Stuck {
    pid_t pid = 0;
    std::string name, wchan, stack, status;
};

class Reaper {
  public:
    // Children for which `spare` is true are left alone, and so is what lies below them.
    explicit Reaper(std::function<bool(pid_t)> spare = {}) : spare_(std::move(spare)) {}

    // Collects the exit status of dead children; with `main`, tells whether that one was among them.
    // Returns false where there is provably no child left at all.
    bool reap(pid_t main = 0, int* main_status = nullptr, bool* main_gone = nullptr);
    // Processes that are still alive, those given up on before not counted.
    std::vector<Process> living() const;
    // Whether there is a child, by waitpid(2), that /proc does not show: kill_all() could not end it.
    bool unseen();
    // SIGSTOP to all, so that nothing can fork faster than it is found, then SIGKILL, until none is left.
    // What outlives SIGKILL for `patience` is given up on, and described; so long, too, it waits for a child that it does not see.
    std::vector<Stuck> kill_all(std::chrono::milliseconds patience = std::chrono::seconds(2));

  private:
    using Identity = std::pair<pid_t, std::uint64_t>;
    bool any_given_up() const;
    std::vector<Process> sweep(const std::function<void(const Process&)>& visit) const;

    std::function<bool(pid_t)> spare_;
    std::set<Identity> given_up_;
};

}  // namespace diag::worker
