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

// A worker that cannot be had.  `code` is a worker.* or peer.* cause.
struct NoWorker : std::runtime_error {
    NoWorker(std::string the_code, const std::string& reason) : std::runtime_error(reason), code(std::move(the_code)) {}
    std::string code;
};

class WorkerSession {
  public:
    using Clock = WorkerProcess::Clock;

    // `peer` is the machine that the words lead to, for reasons; "" is this one.  `wrong` says of a hello why it is not that
    // machine's; "" where nothing speaks against it.
    explicit WorkerSession(std::vector<std::string> argv, std::string peer = "", WrongMachine wrong = {})
        : argv_(std::move(argv)), peer_(std::move(peer)), wrong_(std::move(wrong)) {}

    // One job between its request and its end.
    struct Job {
        std::uint64_t id = 0;
        Observed observed;
        bool started = false, done = false;  // started is told of jobs with another half only
        Clock::time_point begun{}, until{};
    };

    // Starts the worker where it does not run, without waiting for its hello: many peers log in side by side so.
    void begin();
    // The worker's hello.  Throws NoWorker; for a peer that could not be had, at once from then on.
    const json& hello();
    // Whether the hello has come within this time; a later call of hello() goes on waiting.  Throws NoWorker where none can come.
    bool greet(Clock::duration patience);
    // The worker's "found" event; without folders, of those that are its own.  Throws NoWorker where none comes.
    json find(const std::vector<std::string>& dirs = {});

    // Sends a describe or run request, to which it adds the id; `longest` is how many seconds the job may take.
    // Throws NoWorker where no worker can be started, or it does not understand.
    Job start(json request, double longest);
    // Takes what has come of it.  A worker that died, or stayed silent, is an end event with "how":"lost".  Lines for the other
    // half go to `told`.
    void advance(Job& job, const Progress& progress, const std::function<void(const json&)>& told);
    // A line for the job's channel.
    void say(const Job& job, const json& line);
    // Asks for its end, and waits no longer than it must.
    void cancel(Job& job);
    // Of a job that is not done.
    WorkerProcess* process() { return process_ ? &*process_ : nullptr; }
    const std::string& peer() const { return peer_; }

  private:
    WorkerProcess& ready();
    void read_hello(WorkerProcess& process, Clock::time_point until);
    void take_hello(const worker::Frame& frame);
    void refuse_hello(const json& said);
    [[noreturn]] void no_worker(WorkerProcess& process);
    // A J frame for `id` with this event.
    json answer(WorkerProcess& process, std::uint64_t id, const std::string& event);
    void collect(const worker::Frame& frame, Job& job, const Progress& progress, const std::function<void(const json&)>& told);
    // What there is to say of the worker that is gone; the next request starts another.
    NoWorker lost();

    std::vector<std::string> argv_;
    std::string peer_;
    WrongMachine wrong_;
    std::optional<WorkerProcess> process_;
    std::optional<NoWorker> refused_;
    json hello_ = json::object();
    bool greeted_ = false;
    Clock::time_point begun_{};
    std::uint64_t last_id_ = 0;
};

}  // namespace diag::host
