// One job from its request to its end event: waiting for the lock, running, watched, killed, swept up after.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <poll.h>
#include <sys/types.h>

#include "worker/exclusive_lock.hpp"
#include "worker/outbox.hpp"
#include "worker/reaper.hpp"
#include "worker/relay.hpp"
#include "worker/request.hpp"

namespace diag::worker {

// The start event of a job with another half, a J frame: {"event":"started","id"}.
// The end event, a J frame:
//   {"event":"end","id","how","status","signal",
//    "left_running","stuck":[{"pid","name","wchan","stack","status"}],"seconds","peak_memory","text","remedy",
//    "unseen"}
// `how`: exited, signal, deadline, memory, output, events, cancelled, privilege, busy, no-lock, unseen, not-started.
// `left_running`: processes that were still there a moment after the check's own had ended.  `peak_memory`: bytes, as
// sampled; 0 for a job that was shorter than the first sample.  `text` and `remedy` say more where it never started.
// `unseen`: there where processes of it are left that /proc does not show, so that they could not be ended.
class Job {
  public:
    using Clock = std::chrono::steady_clock;

    // Starts it, or has it wait for the lock, or has it end at once.
    Job(JobRequest request, Outbox& outbox, Reaper& reaper);

    // An end event with nothing in it, as for a job that was cancelled before its turn.
    static json end_event(std::uint64_t id, const std::string& how);

    std::uint64_t id() const { return request_.id; }
    bool done() const { return state_ == State::done; }
    // Adds the descriptors that it wants to read.
    void add_polls(std::vector<pollfd>& polls) const;
    void on_ready(int fd);
    // A line for its channel, from the host; dropped unless it runs.
    void deliver(const std::string& line);
    // SIGCHLD came.
    void on_child();
    // When on_time() wants to be called next.
    Clock::time_point next_time() const;
    void on_time();
    void cancel();

  private:
    enum class State { waiting, running, lingering, done };

    void try_lock();
    void start();
    void fork_process();
    void check_limits();
    void sample_memory();
    // Ends it with this `how`, unless it is over already: kills what is left, passes on what it said, sends the end.
    void finish(const std::string& how);

    JobRequest request_;
    Outbox& outbox_;
    Reaper& reaper_;
    std::optional<ExclusiveLock> lock_;
    std::optional<Relay> relay_;
    State state_ = State::waiting;
    pid_t pid_ = 0;
    int wait_status_ = 0;
    Clock::time_point asked_, started_, deadline_, next_;  // next_: retry of the lock, sample, or end of the grace
    std::size_t peak_memory_ = 0;
    json end_ = json::object();
};

}  // namespace diag::worker
