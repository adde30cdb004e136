#include "cli/signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/file.hpp"

namespace diag::cli {
namespace {

volatile std::sig_atomic_t received = 0;
int pipe_ends[2] = {-1, -1};

extern "C" void on_signal(int number) {
    received = number;
    for (const int second : {SIGINT, SIGTERM}) ::signal(second, SIG_DFL);  // whichever comes second ends diag at once
    const char byte = 0;
    // Only a full pipe can refuse it, and then it is readable anyway.
    [[maybe_unused]] const ssize_t written = ::write(pipe_ends[1], &byte, 1);
}

}  // namespace

Signals::Signals() {
    if (::pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) base::throw_errno("pipe");
    struct sigaction action {};
    action.sa_handler = on_signal;
    for (const int other : {SIGINT, SIGTERM}) ::sigaddset(&action.sa_mask, other);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGPIPE, SIG_IGN);
}

bool Signals::interrupted() const { return received != 0; }
int Signals::signal() const { return received; }
int Signals::fd() const { return pipe_ends[0]; }

void Signals::die() {
    ::signal(received, SIG_DFL);
    ::raise(received);
    std::_Exit(128 + received);  // blocked by a parent's mask: as a shell would report it
}

}  // namespace diag::cli
