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

    // Starts it in a process group of its own, so that Ctrl-C at the terminal does not reach it.  With `keep_errors` its stderr is
    // kept (a connection says there why it failed) and not shown.  Throws std::system_error where the program cannot be executed.
    explicit WorkerProcess(const std::vector<std::string>& argv, bool keep_errors = false);
    // Lets it end by itself (it kills its jobs first), then makes sure.
    ~WorkerProcess();
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    // Where it is gone, receive() tells.
    void send(char kind, std::uint64_t id, std::string_view payload);
    // Waits for the next frame until `until`, or until `interrupt_fd` (-1: none) is readable; sends heartbeats meanwhile.
    // Nothing: see gone(), else time or interruption.
    std::optional<worker::Frame> receive(Clock::time_point until, int interrupt_fd = -1);
    // The next frame that is there, without waiting.
    std::optional<worker::Frame> next();
    // Waits until one of `processes` has something to read, `until`, or `interrupt_fd`; heartbeats go out meanwhile.
    static void wait(const std::vector<WorkerProcess*>& processes, Clock::time_point until, int interrupt_fd = -1);
    // It has ended, or its stream is closed, or it was silent for 15 s although it was spoken to.
    bool gone() const { return gone_; }
    // What it wrote to stderr so far, at most 64 KiB of it, where that is kept.
    std::string errors();
    // Its exit status (128 + N for signal N), once it is gone; -1 where it does not end.
    int status();
    // Nothing was sent for so long that it may be about to end of its host's silence.
    bool stale() const;
    // How long this process itself sent nothing, in seconds, where that was a moment ago and so long that a worker ends of it; else 0.
    // A heartbeat was due long before: it was stopped, or slept with its machine, or waited for a disk.
    double host_stopped() const;
    // What it printed outside of frames since the last call.
    std::string take_noise() { return reader_.take_noise(); }

  private:
    void read_stream();
    void read_errors();
    void beat(Clock::time_point now);
    void notice_own_absence();

    std::string nonce_;
    worker::FrameReader reader_;
    base::Fd stream_, errors_;
    std::string errors_text_;
    pid_t pid_ = 0;
    int status_ = -1;
    bool gone_ = false;
    Clock::time_point spoke_ = Clock::now(), heard_ = spoke_;  // heard_: or when it was first asked since
    double spoke_at_, woke_at_ = 0, absent_ = 0;  // the same spoke_, and the last absence, in seconds since boot, sleep counted
};

}  // namespace diag::host
