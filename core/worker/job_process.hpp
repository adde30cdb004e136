// What the process of one job does: makes itself small and alone, loads the plugin, runs it.  Never returns.
// Runs in a fork of the worker, without exec: that is what makes a check cheap.
#pragma once

#include <sys/types.h>

#include "worker/request.hpp"

namespace diag::worker {

// Open descriptors above 2; all else is closed.
struct JobEnds {
    int channel = -1, out = -1, err = -1;
};

// `worker` is the parent's process id: the job dies with it.
[[noreturn]] void job_process(const JobRequest& job, const JobEnds& ends, pid_t worker);

}  // namespace diag::worker
