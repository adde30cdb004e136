#include "host/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"
#include "worker/reaper.hpp"

namespace diag::host {
namespace {

using namespace std::chrono_literals;

constexpr auto heartbeat = 5s;  // the worker gives up after 15 s
constexpr auto farewell = 5s;   // for a worker to kill what cannot be killed at once

// The workers that this process has running.
std::set<pid_t>& workers() {
    static std::set<pid_t> pids;
    return pids;
}

// Ends what a dead worker left behind.  Such a process has come to this one as its subreaper, and is of another
// session: each job begins one, and no process can enter this one's from outside.
void end_orphans() {
    const pid_t me = ::getpid(), session = ::getsid(0);
    worker::Reaper([&](pid_t pid) {
        const auto process = worker::read_process(pid);
        return process && process->parent == me && (process->session == session || workers().contains(pid));
    }).kill_all();
}

std::string new_nonce() {
    std::uint64_t bits = 0;
    if (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) base::throw_errno("getrandom");
    return fmt::format("{:016x}", bits);
}

pid_t spawn(const std::vector<std::string>& argv, int stream) {
    std::vector<char*> words;
    words.reserve(argv.size() + 1);
    for (const auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, stream, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, stream, STDOUT_FILENO);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    pid_t pid = 0;
    const int error = ::posix_spawnp(&pid, words[0], &files, &attributes, words.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    if (error != 0) throw std::system_error(error, std::generic_category(), argv.at(0));
    return pid;
}

// Whether `pid` has ended by itself within the time.
bool ended(pid_t pid, std::chrono::milliseconds patience) {
    for (const auto until = WorkerProcess::Clock::now() + patience;;) {
        const pid_t got = ::waitpid(pid, nullptr, WNOHANG);
        if (got == pid || (got < 0 && errno == ECHILD)) return true;
        if (WorkerProcess::Clock::now() > until) return false;
        ::poll(nullptr, 0, 1);
    }
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& argv) : nonce_(new_nonce()), reader_(nonce_) {
    std::array<int, 2> ends{};
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) base::throw_errno("PR_SET_CHILD_SUBREAPER");
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) base::throw_errno("socketpair");
    stream_.reset(ends[0]);
    const base::Fd theirs(ends[1]);
    pid_ = spawn(argv, theirs.get());
    workers().insert(pid_);
}

WorkerProcess::~WorkerProcess() {
    stream_.reset();
    if (!ended(pid_, farewell)) {
        ::kill(pid_, SIGKILL);
        ended(pid_, farewell);
    }
    workers().erase(pid_);
    end_orphans();
}

void WorkerProcess::send(char kind, std::uint64_t id, std::string_view payload) {
    const std::string bytes = worker::encode(nonce_, {kind, id, std::string(payload)});
    spoke_ = Clock::now();
    for (std::string_view rest = bytes; !rest.empty();) {
        const ssize_t n = ::send(stream_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return;  // it is gone: its last words are still to be read
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
}

void WorkerProcess::read_stream() {
    std::array<char, 65536> buffer;
    const ssize_t n = ::read(stream_.get(), buffer.data(), buffer.size());
    if (n > 0)
        reader_.feed({buffer.data(), static_cast<std::size_t>(n)});
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
        gone_ = true;
}

std::optional<worker::Frame> WorkerProcess::receive(Clock::time_point until, int interrupt_fd) {
    for (;;) {
        if (auto frame = reader_.next()) return frame;
        const auto now = Clock::now();
        if (gone_) return std::nullopt;
        if (now - spoke_ >= heartbeat) send('H', 0, "");
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(std::min(until, spoke_ + heartbeat) - now);
        std::array<pollfd, 2> polls = {{{stream_.get(), POLLIN, 0}, {interrupt_fd, POLLIN, 0}}};  // a negative one is ignored
        const int ready = ::poll(polls.data(), polls.size(), static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60000)));
        if (ready < 0 && errno != EINTR) base::throw_errno("poll");
        if (ready > 0 && polls[0].revents != 0) read_stream();
        if ((ready > 0 && polls[1].revents != 0) || Clock::now() >= until) return reader_.next();
    }
}

bool WorkerProcess::stale() const { return Clock::now() - spoke_ > 2 * heartbeat; }

}  // namespace diag::host
