// A signal that asks to end, noted and answered between two commands, so that what is half built can be taken down.
#pragma once

#include <signal.h>

#include <array>
#include <stdexcept>

namespace diag::lab {

struct Interrupted : std::runtime_error {
    explicit Interrupted(int number) : std::runtime_error("interrupted"), signal(number) {}
    int signal;
};

// While one lives, SIGINT, SIGTERM and SIGHUP are noted instead of ending the process.  One at a time.
class Interruptible {
  public:
    Interruptible();
    ~Interruptible();
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

    // Throws Interrupted where a signal was noted; once, so that the way back runs to its end.
    static void check();

  private:
    std::array<struct sigaction, 3> before_{};
};

}  // namespace diag::lab
