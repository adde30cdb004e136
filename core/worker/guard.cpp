#include "worker/guard.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file.hpp"
#include "worker/descendants.hpp"
#include "worker/reaper.hpp"

namespace diag::worker {
namespace {

// The host sees the worker's end as the end of its streams, and sshd waits for it: nobody else may hold them.
void let_go_of_streams() {
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) base::throw_errno("/dev/null");
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
    ::close(null);
}

int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) base::throw_errno("waitpid");
    return status;
}

int end_as(int status) {
    if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
    const rlimit none{0, 0};  // the child has left its core file already, where one is wanted
    ::setrlimit(RLIMIT_CORE, &none);
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

}  // namespace

int guarded(const std::function<int()>& work) {
    const auto before = children_of(::getpid());
    const pid_t guard = ::getpid();
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) base::throw_errno("PR_SET_CHILD_SUBREAPER");
    const pid_t child = ::fork();
    if (child < 0) base::throw_errno("fork");
    if (child == 0) {
        if (::prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) base::throw_errno("PR_SET_PDEATHSIG");
        if (::getppid() != guard) return 1;  // it ended before that held
        const int status = work();
        wake_guard(guard);
        return status;
    }
    let_go_of_streams();
    ::signal(SIGHUP, SIG_IGN);  // the host's going shows as EOF, to the worker
    const int status = wait_for(child);
    Reaper([&](pid_t pid) { return std::ranges::find(before, pid) != before.end(); }).kill_all();
    return end_as(status);
}

void wake_guard(pid_t parent) {
    const auto process = read_process(parent);
    if (process && process->name == "diag-worker") ::kill(parent, SIGCONT);
}

}  // namespace diag::worker
