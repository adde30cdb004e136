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
#include <ctime>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "worker/reaper.hpp"

namespace diag::host {
namespace {

using namespace std::chrono_literals;

constexpr auto heartbeat = 5s;  // the worker gives up after 15 s
constexpr auto silence = 15s;   // longer, and it is gone: it echoes every heartbeat
constexpr auto farewell = 5s;   // for a worker to kill what cannot be killed at once

constexpr std::size_t most_errors = 65536;

// The workers that this process has running.
std::map<pid_t, WorkerProcess*>& workers() {
    static std::map<pid_t, WorkerProcess*> running;
    return running;
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

// `errors` (-1: the host's own) becomes its stderr.
pid_t spawn(const std::vector<std::string>& argv, int stream, int errors) {
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
    if (errors >= 0) ::posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
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

// Goes on while the machine sleeps, as Clock does not.
double since_boot() {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double in_seconds(std::chrono::seconds duration) { return static_cast<double>(duration.count()); }

// Whether `pid` has ended by itself within the time; then `status` is told.
bool ended(pid_t pid, std::chrono::milliseconds patience, int& status) {
    for (const auto until = WorkerProcess::Clock::now() + patience;;) {
        int wait_status = 0;
        const pid_t got = ::waitpid(pid, &wait_status, WNOHANG);
        if (got == pid) status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
        if (got == pid || (got < 0 && errno == ECHILD)) return true;
        if (WorkerProcess::Clock::now() > until) return false;
        ::poll(nullptr, 0, 1);
    }
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& argv, bool keep_errors)
    : nonce_(new_nonce()), reader_(nonce_), spoke_at_(since_boot()) {
    std::array<int, 2> ends{}, errors{-1, -1};
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) base::throw_errno("PR_SET_CHILD_SUBREAPER");
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) base::throw_errno("socketpair");
    stream_.reset(ends[0]);
    const base::Fd theirs(ends[1]);
    if (keep_errors && ::pipe2(errors.data(), O_CLOEXEC | O_NONBLOCK) != 0) base::throw_errno("pipe");
    errors_.reset(errors[0]);
    const base::Fd their_errors(errors[1]);
    pid_ = spawn(argv, theirs.get(), their_errors.get());
    workers()[pid_] = this;
}

WorkerProcess::~WorkerProcess() {
    stream_.reset();
    if (!ended(pid_, farewell, status_)) {
        ::kill(pid_, SIGKILL);
        ended(pid_, farewell, status_);
    }
    workers().erase(pid_);
    end_orphans();
}

void WorkerProcess::send(char kind, std::uint64_t id, std::string_view payload) {
    const std::string bytes = worker::encode(nonce_, {kind, id, std::string(payload)});
    notice_own_absence();
    spoke_ = Clock::now();
    spoke_at_ = since_boot();
    if (kind == 'R') heard_ = spoke_;
    for (std::string_view rest = bytes; !rest.empty();) {
        const ssize_t n = ::send(stream_.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) {  // it does not read: a while for it to go on, no longer than it would be believed
            pollfd poll{stream_.get(), POLLOUT, 0};
            if (::poll(&poll, 1, static_cast<int>(std::chrono::milliseconds(silence).count())) > 0) continue;
            gone_ = true;
        }
        if (n < 0) return;  // it is gone: its last words are still to be read
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
}

void WorkerProcess::read_stream() {
    std::array<char, 65536> buffer;
    const ssize_t n = ::recv(stream_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n > 0) {
        reader_.feed({buffer.data(), static_cast<std::size_t>(n)});
        heard_ = Clock::now();
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
        notice_own_absence();
        gone_ = true;
    }
}

void WorkerProcess::read_errors() {
    std::array<char, 4096> buffer;
    for (ssize_t n = 0; errors_ && (n = ::read(errors_.get(), buffer.data(), buffer.size())) != -1;) {
        if (n == 0) errors_.reset();
        if (errors_text_.size() < most_errors) errors_text_.append(buffer.data(), static_cast<std::size_t>(n));
    }
}

std::string WorkerProcess::errors() {
    read_errors();
    return errors_text_;
}

int WorkerProcess::status() {
    if (gone_ && status_ < 0) ended(pid_, 1s, status_);
    return status_;
}

void WorkerProcess::beat(Clock::time_point now) {
    if (gone_ || now - spoke_ < heartbeat) return;
    if (now - spoke_ > 2 * heartbeat) heard_ = now;  // this process itself did not run: its silence is nobody's
    if (now - heard_ > silence) gone_ = true;
    send('H', 0, "");
}

void WorkerProcess::notice_own_absence() {
    const double now = since_boot(), absent = now - spoke_at_;
    if (absent < in_seconds(silence)) return;
    absent_ = absent;
    woke_at_ = now;
}

double WorkerProcess::host_stopped() const { return since_boot() - woke_at_ < in_seconds(silence) ? absent_ : 0; }

std::optional<worker::Frame> WorkerProcess::next() {
    if (auto frame = reader_.next()) return frame;
    if (!gone_) read_stream();
    return reader_.next();
}

void WorkerProcess::wait(const std::vector<WorkerProcess*>& processes, Clock::time_point until, int interrupt_fd) {
    const auto now = Clock::now();
    std::vector<pollfd> polls = {{interrupt_fd, POLLIN, 0}};  // a negative one is ignored
    for (const auto& [pid, process] : workers()) {            // those that have nothing to do now must not believe that the host is gone
        const bool waited_for = std::find(processes.begin(), processes.end(), process) != processes.end();
        if (!waited_for && !process->gone_) process->read_stream();  // what it echoes proves that it lives
        process->beat(now);
        if (!process->gone_) until = std::min(until, process->spoke_ + heartbeat);
    }
    for (auto* process : processes) {
        if (process->gone_) return;
        polls.push_back({process->stream_.get(), POLLIN, 0});
        polls.push_back({process->errors_ ? process->errors_.get() : -1, POLLIN, 0});
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now);
    const int ready = ::poll(polls.data(), polls.size(), static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60000)));
    if (ready < 0 && errno != EINTR) base::throw_errno("poll");
    for (std::size_t i = 0; i < processes.size(); ++i)
        if (ready > 0 && polls[2 * i + 2].revents != 0) processes[i]->read_errors();
}

std::optional<worker::Frame> WorkerProcess::receive(Clock::time_point until, int interrupt_fd) {
    for (;;) {
        if (auto frame = next()) return frame;
        if (gone_ || Clock::now() >= until || base::readable(interrupt_fd)) return std::nullopt;
        wait({this}, until, interrupt_fd);
    }
}

bool WorkerProcess::stale() const { return Clock::now() - spoke_ > 2 * heartbeat; }

}  // namespace diag::host
