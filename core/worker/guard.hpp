// A process that stands above the worker, so that what a killed worker leaves is ended too.  On a peer nobody else would: its orphans
// would become init's.
#pragma once

#include <functional>

#include <sys/types.h>

namespace diag::worker {

// Runs `work` in a child, and returns its exit status, or dies of the same signal.  When the child has ended, however it did, every
// process below this one is killed, but what was there before: what a login's shell started is the user's, and no check's.
// A signal that ends this process asks the child to end (SIGTERM).  The streams are the child's alone.
// Throws std::system_error where no process can be made.
int guarded(const std::function<int()>& work);

// A guard that was stopped goes on: it is the parent of a worker that ends, or that was ended.
void wake_guard(pid_t parent);

}  // namespace diag::worker
