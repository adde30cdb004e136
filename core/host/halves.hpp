// Runs a job, or the two halves of one on two machines, and carries lines between them.  Judges nothing.
#pragma once

#include <string>
#include <vector>

#include "host/worker_session.hpp"

namespace diag::host {

struct Half {
    WorkerSession& session;
    std::string machine;  // for the other half
    json request;
    WorkerSession::Job job{};
    Half* other = nullptr;  // that hears what this one tells
};

// Both throw NoWorker where a worker cannot be had: then neither has begun.
void run_job(Half& only, double longest, int interrupt_fd, const Progress& progress);

// Jobs of different machines at the same time, which do not know of each other.  One whose worker cannot be had has an end event
// with "how":"lost".
void run_beside(std::vector<Half>& jobs, double longest, int interrupt_fd, const Progress& progress);

// `here` is the half that judges; when it has ended, the other one has a moment to end, too, and then must.  Whose machine
// sorts first starts first, so that two hosts that load the same two machines cannot each hold the lock that the other waits for.
void run_halves(Half& here, Half& there, double longest, int interrupt_fd, const Progress& progress);

}  // namespace diag::host
