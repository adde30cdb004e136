// Another program: started without a shell, watched to its end, bounded in time and output.
// Not for conversations: what stdin has is known before the start.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/fd.hpp"

namespace diag::probe {

struct Command {
    std::vector<std::string> argv{};  // argv[0]: a name that is looked for (base/program.hpp), or a path
    std::chrono::milliseconds timeout{10000};
    std::size_t most_output = std::size_t{1} << 20;                  // bytes kept of each stream; more is read and dropped
    std::vector<std::pair<std::string, std::string>> environment{};  // beside this process's own; LC_ALL is C, always
    std::string input{};                                             // all that it reads on stdin; "": stdin is /dev/null
};

struct Finished {
    int status = 0;          // exit status; 0 where it was ended by a signal
    int signal = 0;          // that ended it; 0: it exited
    bool timed_out = false;  // it ran too long, and was killed (or cannot be, and was left behind)
    bool cut = false;        // it wrote more than was kept
    std::string out, err;    // bytes as they came
    double seconds = 0;
};

// One run of a program, in a process group of its own.  Its end is its exit, not the end of its output: a child in the
// background may hold the pipes.  When it has ended, and when this object goes, what is left of its group is killed.
// It is killed, too, when the thread that made this object ends, even by SIGKILL (spawn.hpp).
class Subprocess {
  public:
    // Throws diag::Absent where there is no such program, diag::Unreadable where it cannot be executed,
    // std::system_error where no process can be made.
    explicit Subprocess(const Command& command);
    ~Subprocess();
    Subprocess(const Subprocess&) = delete;
    Subprocess& operator=(const Subprocess&) = delete;

    // Collects output until the program ends, its time is over, or `patience` is.  Returns whether it has ended.
    bool wait_for(std::chrono::milliseconds patience);
    // Waits until it ends, by itself or by its timeout.
    const Finished& finish();
    // Asks it and its group to end (SIGTERM); some programs say what they know then.
    void terminate();
    // Kills it and its group.
    const Finished& stop();
    // What is known by now; the whole only when it has ended.
    const Finished& so_far() const { return done_; }
    pid_t pid() const { return pid_; }

  private:
    struct Stream {
        base::Fd fd;
        std::string Finished::*kept;
    };
    using Clock = std::chrono::steady_clock;

    void watch(std::chrono::milliseconds patience);
    bool read(Stream& stream);
    void end();
    void reap();

    pid_t pid_ = 0;
    base::Fd handle_;  // pidfd: readable when the program has exited; closed when it was reaped
    Stream streams_[2];
    std::size_t most_output_;
    Clock::time_point started_, deadline_;
    Finished done_;
};

// Runs it to its end.
Finished run(const Command& command);

}  // namespace diag::probe
