// Requests and answers on a worker that is started when it is needed, and again when it has died.
// Knows nothing of checks and verdicts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/judge.hpp"
#include "host/worker_client.hpp"
#include "host/worker_process.hpp"

namespace diag::host {

class WorkerSession {
  public:
    explicit WorkerSession(std::vector<std::string> argv) : argv_(std::move(argv)) {}

    // The worker's "found" event.  Throws std::runtime_error where none comes.
    json find(const std::vector<std::string>& dirs);
    // Sends a describe or run request, to which it adds the id, and collects until the end event.  `longest` is how many
    // seconds the job may take.  A worker that dies meanwhile, or stays silent, is an end event with "how":"lost".
    // Throws std::runtime_error where no worker can be started, or it does not understand.
    Observed job(json request, double longest, int interrupt_fd = -1, const Progress& progress = {});

  private:
    WorkerProcess& ready();
    void hello(WorkerProcess& process);
    // A J frame for `id` with this event.
    json answer(WorkerProcess& process, std::uint64_t id, const std::string& event);
    bool collect(const worker::Frame& frame, Observed& observed, const Progress& progress);
    std::string why_lost();

    std::vector<std::string> argv_;
    std::optional<WorkerProcess> process_;
    std::uint64_t last_id_ = 0;
};

}  // namespace diag::host
