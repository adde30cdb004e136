// Executes a plan: checkpoints in order, rows of each, checks of each row; stops as DESIGN says.
// Knows nothing of files, terminals or processes: those are behind Runner and Log.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/result.hpp"
#include "runbook/plan.hpp"

namespace diag::engine {

using json = nlohmann::json;

// Runs one check somewhere and judges it.  Does not throw for anything that the check or its worker does.
class Runner {
  public:
    virtual ~Runner() = default;
    virtual host::Result run(const runbook::PlannedCheck& check) = 0;
    // Runs checks that may run at the same time, each of another row, as many at once as it sees fit; their results in this order.
    virtual std::vector<host::Result> run_beside(const std::vector<const runbook::PlannedCheck*>& checks) {
        std::vector<host::Result> results;
        results.reserve(checks.size());
        for (const auto* check : checks) results.push_back(run(*check));
        return results;
    }
    // What the ends of this check look like now that it has failed: texts to keep, from each machine's plugins.  Does not throw either.
    struct Snapshot {
        std::string machine, plugin;
        host::Result result;
    };
    virtual std::vector<Snapshot> snapshot(const runbook::PlannedCheck&) { return {}; }
};

// What an earlier attempt left that may count again (DESIGN 11).
class Reuse {
  public:
    virtual ~Reuse() = default;
    struct Answer {
        std::optional<json> verdict;       // the earlier pass, a journal event; nothing: the check runs
        double age = 0;                    // of it, seconds
        std::vector<std::string> changed;  // what stands against an earlier pass, "gid was 3, is 4"; empty where there was none
    };
    virtual Answer ask(const std::string& checkpoint, const std::string& row, const runbook::PlannedCheck& check) = 0;
};

// Keeps what happens.  Both calls return when it is durable, and throw when it cannot be.
class Log {
  public:
    virtual ~Log() = default;
    // 1 + the highest attempt known of this checkpoint.
    virtual int next_attempt(const std::string& checkpoint) = 0;
    virtual void event(json event) = 0;
    // Where an evidence text lies: {"name","path","sha256"}; a string says why it was not kept.
    virtual json keep(const std::string& checkpoint, int attempt, const std::string& row, const std::string& check,
                      const host::EvidenceText& evidence) = 0;
};

enum class State { running, failed, paused, passed, unknown, interrupted };
std::string_view to_text(State state);

struct Options {
    std::vector<std::string> only;  // checkpoint ids; empty: all
    Reuse* reuse = nullptr;         // of a resumed run; outlives it
    bool keep_ends = true;          // ask for a snapshot of both ends at the first failure
    std::function<bool()> interrupted = [] { return false; };
};

struct Ending {
    State state = State::running;
    host::Outcome worst = host::Outcome::pass;
};

// Runs the plan to its end, its first failing checkpoint, a pause or an interruption.  Writes every event but
// `run` (the caller's) and `interrupted` (the caller knows the signal).
Ending execute(const runbook::Plan& plan, Runner& runner, Log& log, const Options& options);

}  // namespace diag::engine
