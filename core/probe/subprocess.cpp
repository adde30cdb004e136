#include "probe/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include <diag/verdict.hpp>

#include "base/file.hpp"
#include "base/program.hpp"
#include "base/utf8.hpp"
#include "probe/spawn.hpp"

namespace diag::probe {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds patience_after_kill{2000};            // longer takes only a process that the kernel keeps (state D)
constexpr std::size_t most_drained = std::size_t{16} << 20;  // after the end: somebody else may write on for ever

std::pair<base::Fd, base::Fd> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) base::throw_errno("pipe");
    return {base::Fd(ends[0]), base::Fd(ends[1])};
}

std::vector<std::string> environment_for(const Command& command) {
    auto changes = command.environment;
    changes.emplace_back("LC_ALL", "C");
    std::vector<std::string> words;
    for (char** word = environ; *word != nullptr; ++word) {
        const std::string text = *word;
        const auto replaced = [&](const auto& change) { return text.starts_with(change.first + "="); };
        if (std::none_of(changes.begin(), changes.end(), replaced)) words.push_back(text);
    }
    for (const auto& [name, value] : changes) words.push_back(fmt::format("{}={}", name, value));
    return words;
}

// A file without a name: it cannot block a writer, and ends where the text ends.
base::Fd file_of(const std::string& text) {
    if (text.empty()) return base::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    base::Fd file(static_cast<int>(::memfd_create("stdin", MFD_CLOEXEC)));
    if (!file) base::throw_errno("memfd_create");
    base::write_all(file.get(), text, "stdin");
    if (::lseek(file.get(), 0, SEEK_SET) != 0) base::throw_errno("lseek");
    return file;
}

pid_t start(const Command& command, int out, int err) {
    if (command.argv.empty()) throw Absent("no program is named");
    const std::string shown = base::printable(command.argv[0]);
    const auto path = base::find_program(command.argv[0]);
    if (!path) throw Absent(fmt::format("there is no program '{}'{}", shown, shown.find('/') == std::string::npos ? " in PATH" : ""));
    if (!base::executable(*path)) throw Unreadable(fmt::format("{} may not be executed by user {}", base::printable(*path), ::geteuid()));
    const base::Fd in = file_of(command.input);
    try {
        return spawn(*path, command.argv, environment_for(command), {in.get(), out, err});
    } catch (const CannotExecute& e) {
        const int error = e.code().value();
        // ENOENT, though the file is there: what its first line, or its ELF header, names is not.
        if (error == ENOENT) throw Unreadable(fmt::format("{} cannot be executed: its interpreter is not there", base::printable(*path)));
        throw Unreadable(fmt::format("{} cannot be executed: {}", base::printable(*path), std::strerror(error)));
    }
}

}  // namespace

Subprocess::Subprocess(const Command& command) : most_output_(command.most_output), started_(Clock::now()) {
    auto [out, out_there] = make_pipe();
    auto [err, err_there] = make_pipe();
    for (const int fd : {out.get(), err.get()})
        if (::fcntl(fd, F_SETFL, O_NONBLOCK) != 0) base::throw_errno("pipe");
    streams_[0] = {std::move(out), &Finished::out};
    streams_[1] = {std::move(err), &Finished::err};
    deadline_ = started_ + command.timeout;
    pid_ = start(command, out_there.get(), err_there.get());
    handle_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));  // Linux 5.3; close-on-exec by itself
    if (handle_) return;
    const int error = errno;
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    throw std::system_error(error, std::generic_category(), "pidfd_open");
}

Subprocess::~Subprocess() { stop(); }

// Reads once.  Returns false where there is nothing more for now.
bool Subprocess::read(Stream& stream) {
    std::array<char, 65536> block;
    const ssize_t n = ::read(stream.fd.get(), block.data(), block.size());
    if (n < 0 && errno == EINTR) return true;
    if (n < 0 && errno == EAGAIN) return false;
    if (n <= 0) {
        stream.fd.reset();
        return false;
    }
    std::string& kept = done_.*stream.kept;
    const std::size_t room = std::min(most_output_ - kept.size(), static_cast<std::size_t>(n));
    kept.append(block.data(), room);
    if (room < static_cast<std::size_t>(n)) done_.cut = true;
    return true;
}

// One round of poll.
void Subprocess::watch(milliseconds patience) {
    std::array<pollfd, 3> polls{{{handle_.get(), POLLIN, 0}, {streams_[0].fd.get(), POLLIN, 0}, {streams_[1].fd.get(), POLLIN, 0}}};
    const auto wait = std::clamp(patience, milliseconds{0}, milliseconds{3600'000});
    if (::poll(polls.data(), polls.size(), static_cast<int>(wait.count())) < 0) {
        if (errno == EINTR) return;
        base::throw_errno("poll");
    }
    for (std::size_t i = 0; i < 2; ++i)
        if (polls[i + 1].revents != 0) read(streams_[i]);
    if (polls[0].revents != 0) end();
}

bool Subprocess::wait_for(milliseconds patience) {
    const auto until = Clock::now() + patience;
    while (handle_) {
        watch(std::chrono::ceil<milliseconds>(std::min(until, deadline_) - Clock::now()));
        const auto now = Clock::now();
        if (handle_ && now >= deadline_) {
            done_.timed_out = true;
            stop();
        }
        if (now >= until) break;
    }
    return !handle_;
}

const Finished& Subprocess::finish() {
    while (!wait_for(milliseconds{1000})) {
    }
    return done_;
}

void Subprocess::terminate() {
    if (handle_) ::kill(-pid_, SIGTERM);
}

const Finished& Subprocess::stop() {
    if (!handle_) return done_;
    ::kill(-pid_, SIGKILL);
    pollfd gone{handle_.get(), POLLIN, 0};
    const auto until = Clock::now() + patience_after_kill;
    while (::poll(&gone, 1, static_cast<int>(patience_after_kill.count())) < 0 && errno == EINTR && Clock::now() < until) {
    }
    if (gone.revents != 0) end();
    handle_.reset();  // one that the kernel keeps is left behind
    return done_;
}

// The program has exited and is not reaped yet, so its number is still its own, and its group's.
void Subprocess::end() {
    ::kill(-pid_, SIGKILL);
    for (auto& stream : streams_)
        for (std::size_t blocks = 0; stream.fd && blocks < most_drained / 65536 && read(stream); ++blocks) {
        }
    reap();
    handle_.reset();
    done_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
}

void Subprocess::reap() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0)
        if (errno != EINTR) return;
    done_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    done_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

Finished run(const Command& command) { return Subprocess(command).finish(); }

}  // namespace diag::probe
