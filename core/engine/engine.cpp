#include "engine/engine.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace diag::engine {
namespace {

using host::Outcome;
using runbook::PlannedCheck;
using runbook::PlannedCheckpoint;
using runbook::PlannedRow;

constexpr bool stops(Outcome outcome) { return outcome == Outcome::fail || outcome == Outcome::not_run; }

json optional_text(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

// The outcome of several: the worst; `skip` only where nothing else happened.
class Worst {
  public:
    void add(Outcome outcome) {
        worst_ = any_ ? host::worse(worst_, outcome) : outcome;
        any_ = true;
    }
    Outcome get() const { return any_ ? worst_ : Outcome::skip; }

  private:
    bool any_ = false;
    Outcome worst_ = Outcome::skip;
};

class Execution {
  public:
    Execution(Runner& runner, Log& log, const Options& options) : runner_(runner), log_(log), options_(options) {}

    // Nothing where the run was interrupted in the middle.
    std::optional<Outcome> checkpoint(const PlannedCheckpoint& checkpoint) {
        id_ = checkpoint.id;
        attempt_ = log_.next_attempt(id_);
        log_.event({{"event", "checkpoint"}, {"checkpoint", id_}, {"attempt", attempt_}, {"title", checkpoint.title}});
        Worst worst;
        for (const auto& row : checkpoint.rows) {
            worst.add(run_row(row));
            if (options_.interrupted()) return std::nullopt;
        }
        log_.event({{"event", "checkpoint-end"}, {"checkpoint", id_}, {"attempt", attempt_}, {"outcome", to_text(worst.get())}});
        return worst.get();
    }

  private:
    Outcome run_row(const PlannedRow& row) {
        Worst worst;
        for (const auto& check : row.checks) {
            worst.add(run_check(row, check));
            if (stops(worst.get()) || options_.interrupted()) break;
        }
        return worst.get();
    }

    Outcome run_check(const PlannedRow& row, const PlannedCheck& check) {
        json where = {{"checkpoint", id_}, {"attempt", attempt_}, {"row", row.label}, {"check", check.check}, {"id", check.id}};
        json started = where;
        started.update({{"event", "check"}, {"machine", check.machine}, {"params", check.params}});
        log_.event(started);
        Reuse::Answer earlier;
        if (options_.reuse != nullptr && check.skip.empty()) earlier = options_.reuse->ask(id_, row.label, check);
        if (earlier.verdict) {
            log_.event(reused(where, *earlier.verdict, earlier.age));
            return Outcome::pass;
        }
        host::Result result;
        if (check.skip.empty()) {
            result = runner_.run(check);
        } else {
            result.outcome = Outcome::skip;
            result.reason = check.skip;
        }
        // An interrupted check has no verdict: the next attempt asks again.
        if (options_.interrupted()) return result.outcome;
        json told = verdict(where, row, check, result);
        if (!earlier.changed.empty()) told["changed"] = earlier.changed;
        log_.event(std::move(told));
        if (stops(result.outcome) && options_.keep_ends && !kept_ends_) keep_ends(row, check, where);
        return result.outcome;
    }

    // Once in a run, at its first failure: what comes later is often its consequence.
    void keep_ends(const PlannedRow& row, const PlannedCheck& check, const json& where) {
        kept_ends_ = true;
        for (const auto& snapshot : runner_.snapshot(check)) {
            json event = where;
            json evidence = json::array(), notes = snapshot.result.notes;
            for (const auto& text : snapshot.result.evidence) {
                json kept = log_.keep(id_, attempt_, row.label, "snapshot " + snapshot.machine + " " + snapshot.plugin, text);
                (kept.is_object() ? evidence : notes).push_back(std::move(kept));
            }
            event.update({{"event", "snapshot"},
                          {"machine", snapshot.machine},
                          {"plugin", snapshot.plugin},
                          {"outcome", to_text(snapshot.result.outcome)},
                          {"cause", optional_text(snapshot.result.cause)},
                          {"reason", snapshot.result.reason},
                          {"seconds", snapshot.result.seconds},
                          {"evidence", evidence},
                          {"notes", notes}});
            log_.event(std::move(event));
        }
    }

    // The earlier verdict with its evidence, in this attempt's place.
    static json reused(const json& where, json verdict, double age) {
        if (!verdict.contains("reused"))  // of a pass that was reused before, the first measurement stands
            for (const char* when : {"attempt", "time", "boottime", "boot"}) verdict["reused"][when] = verdict.value(when, json());
        verdict["reused"]["age"] = age;
        for (const char* own : {"seq", "time", "boottime", "boot", "prev", "sum", "format", "repaired"}) verdict.erase(own);
        verdict.update(where);
        return verdict;
    }

    json verdict(json event, const PlannedRow& row, const PlannedCheck& check, const host::Result& result) {
        json evidence = json::array();
        json notes = result.notes;
        for (const auto& text : result.evidence) {
            json kept = log_.keep(id_, attempt_, row.label, check.id, text);
            (kept.is_object() ? evidence : notes).push_back(std::move(kept));
        }
        json measurements = json::array();
        for (const auto& m : result.measurements) measurements.push_back(host::to_json(m));
        event.update({{"event", "verdict"},
                      {"outcome", to_text(result.outcome)},
                      {"cause", optional_text(result.cause)},
                      {"meaning", optional_text(result.meaning)},
                      {"mover", optional_text(result.mover)},
                      {"reason", result.reason},
                      {"next", optional_text(result.next)},
                      {"asked", optional_text(result.asked)},
                      {"saw", optional_text(result.saw)},
                      {"params", check.params},
                      {"seconds", result.seconds},
                      {"measurements", measurements},
                      {"evidence", evidence},
                      {"facts", result.facts},
                      {"notes", notes}});
        return event;
    }

    Runner& runner_;
    Log& log_;
    const Options& options_;
    std::string id_;
    int attempt_ = 0;
    bool kept_ends_ = false;
};

bool chosen(const Options& options, const std::string& id) {
    return options.only.empty() || std::find(options.only.begin(), options.only.end(), id) != options.only.end();
}

State state_of(Outcome worst) {
    if (worst == Outcome::fail) return State::failed;
    return worst == Outcome::not_run ? State::unknown : State::passed;
}

}  // namespace

std::string_view to_text(State state) {
    constexpr std::array<std::string_view, 6> names = {"running", "failed", "paused", "passed", "unknown", "interrupted"};
    return names.at(static_cast<std::size_t>(state));
}

Ending execute(const runbook::Plan& plan, Runner& runner, Log& log, const Options& options) {
    Execution execution(runner, log, options);
    Worst worst;
    const auto ended = [&](State state) {
        log.event({{"event", "run-end"}, {"state", to_text(state)}, {"worst", to_text(worst.get())}});
        return Ending{state, worst.get()};
    };
    for (const auto& checkpoint : plan.checkpoints) {
        if (!chosen(options, checkpoint.id)) continue;
        if (options.interrupted()) return {State::interrupted, worst.get()};
        if (!checkpoint.owner.empty() || checkpoint.reboot) {  // a person has to move first
            log.event({{"event", "pause"}, {"checkpoint", checkpoint.id}, {"owner", checkpoint.owner}, {"reboot", checkpoint.reboot}});
            return ended(State::paused);
        }
        const auto outcome = execution.checkpoint(checkpoint);
        if (!outcome) return {State::interrupted, worst.get()};
        worst.add(*outcome);
        if (stops(*outcome) && !plan.continue_on_failure) break;
    }
    return ended(state_of(worst.get()));
}

}  // namespace diag::engine
