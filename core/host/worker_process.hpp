// One running diag-worker and the stream to it.  Knows frames; knows nothing of requests.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/fd.hpp"
#include "worker/frame.hpp"

namespace diag::host {

class WorkerProcess {
  public:
    using Clock = std::chrono::steady_clock;

    // Starts it in a process group of its own, so that Ctrl-C at the terminal does not reach it.
    // Throws std::system_error where the program cannot be executed.
    explicit WorkerProcess(const std::vector<std::string>& argv);
    // Lets it end by itself (it kills its jobs first), then makes sure.
    ~WorkerProcess();
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    // Where it is gone, receive() tells.
    void send(char kind, std::uint64_t id, std::string_view payload);
    // Waits for the next frame until `until`, or until `interrupt_fd` (-1: none) is readable; sends heartbeats meanwhile.
    // Nothing: see gone(), else time or interruption.
    std::optional<worker::Frame> receive(Clock::time_point until, int interrupt_fd = -1);
    bool gone() const { return gone_; }
    // Nothing was sent for so long that it may be about to end of its host's silence.
    bool stale() const;
    // What it printed outside of frames since the last call.
    std::string take_noise() { return reader_.take_noise(); }

  private:
    void read_stream();

    std::string nonce_;
    worker::FrameReader reader_;
    base::Fd stream_;
    pid_t pid_ = 0;
    bool gone_ = false;
    Clock::time_point spoke_ = Clock::now();
};

}  // namespace diag::host
