// An earlier worker of the same host that was lost: frozen, say, and with what it started still running.
#pragma once

#include <cstdint>

#include <sys/types.h>

namespace diag::worker {

// Ends that worker and everything below it.  Nothing is done where `pid` is no diag-worker of this user that began at `started`
// (Process::started), so that a process which has its number by now is left alone.
void end_predecessor(pid_t pid, std::uint64_t started);

}  // namespace diag::worker
