// The host's end of one worker: starts it, asks it, and judges what comes back.
// Not for deciding what runs next, and not for keeping what came of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/catalogue.hpp"
#include "host/result.hpp"

namespace diag::host {

struct RunOptions {
    double timeout = 10;           // seconds of slack above what the check says it takes
    int interrupt_fd = -1;         // readable: stop; it is only polled, never read
    std::string root;              // a captured tree in place of /sys, /proc and /etc; "" is this machine's own
    std::string alone_because{};   // of a check with two halves: why there is only this one; "" where none was meant
    std::string machine;           // this machine's key in the site file
    json limits = json::object();  // overrides of worker/job.hpp, Limits: {"memory","data","output","events","line","channel","lock_wait"}
};

// A line for the person who waits, or "" about once a second as a sign of life; raw text from the check (print it with base::printable).
using Progress = std::function<void(const std::string& line)>;

// What speaks against a hello's being that of the machine that was meant; "": nothing does.
using WrongMachine = std::function<std::string(const json& hello)>;

struct Question;

// Not thread-safe; many may exist in one process.  Makes the process a child subreaper, so that what a killed
// worker leaves behind can be ended here.  Sends no signal that the caller's terminal could see, and needs no
// signal disposition: SIGPIPE and SIGCHLD stay as they are.
class WorkerClient {
  public:
    // `argv` starts a worker: {"/usr/libexec/diag/diag-worker"}, or the words of an ssh that does so on the machine `peer`.  Nothing
    // is started before the first request.
    explicit WorkerClient(std::vector<std::string> argv, std::string peer = "", WrongMachine wrong = {});
    // Ends the worker and everything below it.
    ~WorkerClient();
    WorkerClient(const WorkerClient&) = delete;
    WorkerClient& operator=(const WorkerClient&) = delete;

    // Starts the worker without waiting for it: many peers log in side by side so.  Throws NoWorker (host/worker_session.hpp).
    void begin();
    // Whether it has said hello within so many seconds.  Throws NoWorker.
    bool greet(double seconds);
    // What the worker says of itself: {"protocol","version","commit","changes","machine","host_name","pid"} ("machine": DIAG_MACHINE
    // there), and "noise": what a login to it printed before.  Throws NoWorker.
    const json& hello();
    // The plugin files that it finds: {"plugins":[{"file","sha256"}],"refused":[{"file","code","reason"}]}.  Throws NoWorker.
    json find(const std::vector<std::string>& dirs = {});
    // One file's catalogue.  Throws std::exception where it is no plugin, or the worker cannot be had.
    PluginInfo describe(const std::string& file, const std::string& sha256);
    // What the plugins in these folders offer.  A file that does not load is a Refusal and stops nothing.
    // Throws std::exception where the worker cannot be started or dies.
    Catalogue load(const std::vector<std::string>& dirs);

    // Runs one check of the plugin in `file` (PluginInfo::file) and judges it.  `params` as the check receives them.
    // Never throws for what a check or a worker does: that is a Result with outcome not_run.
    Result run(const CheckInfo& check, const std::string& file, const json& params, const RunOptions& options,
               const Progress& progress = {});

    // The facts that a reusable check relies on, as they are now: {name: value}.  Nothing where they could not be told, all of them.
    // `there`: of the half on the other machine.
    std::optional<json> facts(const CheckInfo& check, const std::string& file, const json& params, const RunOptions& options,
                              bool there = false);

    struct Impl;

  private:
    friend std::vector<Result> ask_all(const std::vector<Question>& questions, const Progress& progress);
    std::unique_ptr<Impl> impl_;
};

// Where one half of a check runs, or the whole of it.
struct PairEnd {
    WorkerClient& client;
    const CheckInfo& check;  // as that machine's plugin declares it
    std::string file;        // of the plugin, on that machine
    RunOptions options;      // `machine` names it for the other half
};

struct Question {
    PairEnd here;
    std::optional<PairEnd> there;  // of a check with two halves
    json params;
};

// Asks all of them at the same time, those of one client one after the other.  The half here is the check; what the half there measured and
// kept is told under "there.NAME", and where its verdict is worse, that is the check's.  Never throws for what a check or a worker does.
std::vector<Result> ask_all(const std::vector<Question>& questions, const Progress& progress = {});

}  // namespace diag::host
