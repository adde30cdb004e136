#include "probe/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/child.hpp"
#include "base/fd.hpp"
#include "base/file.hpp"

namespace diag::probe {
namespace {

constexpr unsigned close_range_cloexec = 1U << 2U;  // linux/close_range.h, Linux 5.11; older headers lack it

std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> list;
    list.reserve(words.size() + 1);
    for (const auto& word : words) list.push_back(const_cast<char*>(word.c_str()));
    list.push_back(nullptr);
    return list;
}

// In the child, where other threads' locks may be held for ever: system calls only.  Returns only where something failed.
void become(const char* path, char* const* argv, char* const* environment, const Streams& streams, pid_t parent) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return;
    if (::getppid() != parent) ::_exit(1);  // it ended before that held
    if (::setpgid(0, 0) != 0) return;
    if (!base::default_signals()) return;
    if (::dup2(streams.in, 0) < 0 || ::dup2(streams.out, 1) < 0 || ::dup2(streams.err, 2) < 0) return;
    if (::syscall(SYS_close_range, 3U, ~0U, close_range_cloexec) != 0) return;
    ::execve(path, argv, environment);
}

}  // namespace

pid_t spawn(const std::string& path, const std::vector<std::string>& argv, const std::vector<std::string>& environment,
            const Streams& streams) {
    const auto words = pointers(argv), variables = pointers(environment);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) base::throw_errno("pipe");
    const base::Fd reader(ends[0]);
    base::Fd writer(ends[1]);  // closed by a successful exec
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) base::throw_errno("a process for " + path);
    if (child == 0) {
        become(path.c_str(), words.data(), variables.data(), streams, parent);
        const int error = errno;
        ::_exit(::write(writer.get(), &error, sizeof error) == sizeof error ? 127 : 126);
    }
    writer.reset();
    int error = 0;
    ssize_t n = 0;
    while ((n = ::read(reader.get(), &error, sizeof error)) < 0 && errno == EINTR) {
    }
    if (n <= 0) return child;
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw CannotExecute(error, std::generic_category(), path);
}

}  // namespace diag::probe
