#include "engine/engine.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace diag::engine {
namespace {

using host::Outcome;
using runbook::PlannedCheck;
using runbook::PlannedCheckpoint;
using runbook::PlannedRow;

constexpr std::ptrdiff_t width = 32;  // rows in hand at a time: more, and a run that is killed has lost more

// Rows of one round; or rows without rounds whose checks may run at the same time.
bool beside(const PlannedRow& a, const PlannedRow& b) { return a.round == b.round && (a.round != 0 || (a.side_by_side && b.side_by_side)); }

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
        json begun = {{"event", "checkpoint"}, {"checkpoint", id_}, {"attempt", attempt_}, {"title", checkpoint.title}};
        if (!checkpoint.no_rows.empty()) begun["no_rows"] = checkpoint.no_rows;
        log_.event(begun);
        Worst worst;
        for (auto at = checkpoint.rows.begin(); at != checkpoint.rows.end();) {
            auto last = std::find_if(at + 1, checkpoint.rows.end(), [&](const PlannedRow& row) { return !beside(*at, row); });
            if (at->round == 0) last = at + std::min(width, last - at);
            worst.add(run_rows({at, last}));
            if (options_.interrupted()) return std::nullopt;
            at = last;
        }
        log_.event({{"event", "checkpoint-end"}, {"checkpoint", id_}, {"attempt", attempt_}, {"outcome", to_text(worst.get())}});
        return worst.get();
    }

  private:
    // One row, or several side by side: the first check of each, then the second of those that go on.
    Outcome run_rows(std::span<const PlannedRow> rows) {
        Worst worst;
        std::vector<const PlannedRow*> going;
        std::size_t longest = 0;
        for (const auto& row : rows) {
            going.push_back(&row);
            longest = std::max(longest, row.checks.size());
        }
        for (std::size_t i = 0; i < longest && !options_.interrupted(); ++i) {
            std::vector<Asked> asked;
            for (const auto* row : going)
                if (i < row->checks.size()) asked.push_back(ask(*row, row->checks[i]));
            run_asked(asked);
            for (const auto& one : asked) {
                worst.add(*one.outcome);
                if (stops(*one.outcome)) std::erase(going, one.row);
            }
        }
        return worst.get();
    }

    // A check that has begun.
    struct Asked {
        const PlannedRow* row;
        const PlannedCheck* check;
        json where;
        std::vector<std::string> changed;
        std::optional<Outcome> outcome;
    };

    Asked ask(const PlannedRow& row, const PlannedCheck& check) {
        Asked asked{&row,
                    &check,
                    {{"checkpoint", id_}, {"attempt", attempt_}, {"row", row.label}, {"check", check.check}, {"id", check.id}},
                    {},
                    {}};
        json started = asked.where;
        started.update({{"event", "check"}, {"machine", check.machine}, {"params", check.params}});
        log_.event(started);
        if (!check.skip.empty()) {
            host::Result skipped;
            skipped.outcome = Outcome::skip;
            skipped.reason = check.skip;
            answer(asked, skipped);
            return asked;
        }
        Reuse::Answer earlier;
        if (options_.reuse != nullptr) earlier = options_.reuse->ask(id_, row.label, check);
        asked.changed = std::move(earlier.changed);
        if (!earlier.verdict) return asked;
        log_.event(reused(asked.where, *earlier.verdict, earlier.age));
        asked.outcome = Outcome::pass;
        return asked;
    }

    void run_asked(std::vector<Asked>& asked) {
        std::vector<Asked*> open;
        std::vector<const PlannedCheck*> checks;
        for (auto& one : asked) {
            if (one.outcome) continue;
            open.push_back(&one);
            checks.push_back(one.check);
        }
        const auto results = checks.empty() ? std::vector<host::Result>{} : runner_.run_beside(checks);
        for (std::size_t i = 0; i < open.size(); ++i) answer(*open[i], results.at(i));
    }

    void answer(Asked& asked, const host::Result& result) {
        asked.outcome = result.outcome;
        // An interrupted check has no verdict: the next attempt asks again.
        if (options_.interrupted()) return;
        json told = verdict(asked.where, *asked.row, *asked.check, result);
        if (!asked.changed.empty()) told["changed"] = asked.changed;
        log_.event(std::move(told));
        if (stops(result.outcome) && options_.keep_ends && !kept_ends_) keep_ends(*asked.row, *asked.check, asked.where);
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
        for (const char* own : {"seq", "time", "boottime", "boot", "prev", "sum", "format", "repaired", "changed"}) verdict.erase(own);
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
