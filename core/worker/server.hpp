// The worker's loop: reads requests, runs one job at a time, and ends everything when the host is gone.
#pragma once

namespace diag::worker {

// Serves until EOF on `in`, a host that is silent for 15 s (or what hello asked for), or SIGTERM, SIGINT.
// Kills every descendant before it returns the exit status.  Takes over signals of the whole process.
//
// Requests (R frames, JSON): {"op":"hello","protocol":1,"silence":15}, {"op":"find","dirs":[...]}, the jobs of
// request.hpp, {"op":"cancel","id":n}.  Answers (J frames): "hello", "found", "end" (job.hpp), and
// {"event":"error","text"} for a request that cannot be understood.
int serve(int in, int out);

}  // namespace diag::worker
