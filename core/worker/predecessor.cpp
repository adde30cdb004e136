#include "worker/predecessor.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "worker/descendants.hpp"
#include "worker/guard.hpp"

namespace diag::worker {
namespace {

constexpr int rounds = 50;  // of 10 ms: what does not die within them is in state D

bool is_ours(pid_t pid) {
    struct stat at {};
    return ::stat(fmt::format("/proc/{}", pid).c_str(), &at) == 0 && at.st_uid == ::geteuid();
}

}  // namespace

void end_predecessor(pid_t pid, std::uint64_t started) {
    const auto process = read_process(pid);
    if (pid == ::getpid() || !process || process->started != started || process->name != "diag-worker" || !is_ours(pid)) return;
    ::kill(pid, SIGSTOP);  // it starts nothing more
    for (int round = 0; round < rounds; ++round) {
        bool some_left = false;
        visit_descendants(
            [&](pid_t below) {
                const auto one = read_process(below);
                if (!one || !one->alive()) return true;
                some_left = true;
                ::kill(below, SIGKILL);
                return true;
            },
            pid);
        if (!some_left) break;
        ::poll(nullptr, 0, 10);
    }
    ::kill(pid, SIGKILL);
    wake_guard(process->parent);
}

}  // namespace diag::worker
