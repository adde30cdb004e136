#include "engine/engine.hpp"

#include <algorithm>
#include <map>

#include "catch.hpp"

using namespace diag;
using host::Outcome;
using json = nlohmann::json;

namespace {

// Answers by check id; everything else passes.
struct FakeRunner : engine::Runner {
    std::map<std::string, Outcome> answers;
    std::vector<std::string> ran;
    std::string evidence;
    std::vector<std::string> snapshots;  // of which checks' ends
    std::vector<Snapshot> snapshot(const runbook::PlannedCheck& check) override {
        snapshots.push_back(check.id);
        host::Result kept;
        kept.outcome = Outcome::pass;
        kept.evidence.push_back({"routes", "default via 10.0.0.1"});
        return {{"node-a", "site", kept}, {"node-b", "site", kept}};
    }
    std::vector<std::vector<std::string>> together;
    std::vector<host::Result> run_beside(const std::vector<const runbook::PlannedCheck*>& checks) override {
        auto& ids = together.emplace_back();
        for (const auto* check : checks) ids.push_back(check->id);
        return Runner::run_beside(checks);
    }
    host::Result run(const runbook::PlannedCheck& check) override {
        ran.push_back(check.id);
        host::Result result;
        result.outcome = answers.contains(check.id) ? answers[check.id] : Outcome::pass;
        if (!evidence.empty()) result.evidence.push_back({"probes", evidence});
        return result;
    }
};

struct MemoryLog : engine::Log {
    std::vector<json> events;
    int next_attempt(const std::string&) override { return 3; }
    void event(json e) override { events.push_back(std::move(e)); }
    json keep(const std::string& checkpoint, int attempt, const std::string&, const std::string&, const host::EvidenceText& text) override {
        events.push_back({{"event", "kept"}});
        return {{"name", text.name}, {"path", checkpoint + "/" + std::to_string(attempt)}};
    }
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& e : events) all.push_back(e["event"]);
        return all;
    }
};

runbook::PlannedCheck check(const std::string& id) {
    runbook::PlannedCheck c;
    c.check = "site.probe";
    c.id = id;
    return c;
}

// Two checkpoints: the first with two rows of two checks, the second with one of each.
runbook::Plan plan() {
    runbook::Plan p;
    p.checkpoints.resize(2);
    p.checkpoints[0].id = "first";
    p.checkpoints[0].rows = {{"one", {check("1a"), check("1b")}}, {"two", {check("2a"), check("2b")}}};
    p.checkpoints[1].id = "second";
    p.checkpoints[1].rows = {{"", {check("3a")}}};
    return p;
}

engine::Ending run(const runbook::Plan& p, FakeRunner& runner, MemoryLog& log, const engine::Options& options = {}) {
    return engine::execute(p, runner, log, options);
}

}  // namespace

TEST_CASE("a row stops at its first failure, the other rows still run, the next checkpoint does not") {
    FakeRunner runner;
    MemoryLog log;
    runner.answers = {{"1a", Outcome::fail}};
    const auto ending = run(plan(), runner, log);
    CHECK(runner.ran == std::vector<std::string>{"1a", "2a", "2b"});
    CHECK(ending.state == engine::State::failed);
    CHECK(log.events.back()["state"] == "failed");
}

TEST_CASE("what did not run stops the run as a failure does, and is not called one") {
    FakeRunner runner;
    MemoryLog log;
    runner.answers = {{"2b", Outcome::not_run}};
    const auto ending = run(plan(), runner, log);
    CHECK(ending.state == engine::State::unknown);
    CHECK(ending.worst == Outcome::not_run);
    CHECK(runner.ran.size() == 4);
}

TEST_CASE("warnings and skips go on; a warning is the worst of the run") {
    FakeRunner runner;
    MemoryLog log;
    runner.answers = {{"1a", Outcome::warn}, {"3a", Outcome::skip}};
    const auto ending = run(plan(), runner, log);
    CHECK(runner.ran.size() == 5);
    CHECK(ending.state == engine::State::passed);
    CHECK(ending.worst == Outcome::warn);
}

TEST_CASE("a checkpoint is skipped only where everything in it was") {
    FakeRunner runner;
    MemoryLog log;
    runner.answers = {{"1a", Outcome::skip}, {"1b", Outcome::skip}, {"2a", Outcome::skip}, {"2b", Outcome::skip}};
    run(plan(), runner, log);
    std::vector<json> ends;
    for (const auto& e : log.events)
        if (e["event"] == "checkpoint-end") ends.push_back(e["outcome"]);
    CHECK(ends == std::vector<json>{"skip", "pass"});
}

TEST_CASE("a checkpoint that has no rows, as it should be, is skipped and says why; the run goes on and passes") {
    FakeRunner runner;
    MemoryLog log;
    auto p = plan();
    p.checkpoints[0].rows.clear();
    p.checkpoints[0].no_rows = "no port";
    CHECK(run(p, runner, log).state == engine::State::passed);
    CHECK(log.events.at(0)["no_rows"] == "no port");
    CHECK(log.events.at(1)["outcome"] == "skip");
    CHECK_FALSE(log.events.at(2).contains("no_rows"));
}

TEST_CASE("on_failure: continue runs every checkpoint and still reports the worst") {
    FakeRunner runner;
    MemoryLog log;
    runner.answers = {{"1a", Outcome::fail}};
    auto p = plan();
    p.continue_on_failure = true;
    const auto ending = run(p, runner, log);
    CHECK(runner.ran.back() == "3a");
    CHECK(ending.state == engine::State::failed);
}

TEST_CASE("a check is announced before it runs, and its evidence is kept before the line that names it") {
    FakeRunner runner;
    MemoryLog log;
    runner.evidence = "sent 1, received 1";
    auto p = plan();
    p.checkpoints.erase(p.checkpoints.begin());
    run(p, runner, log);
    CHECK(log.names() == std::vector<std::string>{"checkpoint", "check", "kept", "verdict", "checkpoint-end", "run-end"});
    CHECK(log.events[3]["evidence"][0]["path"] == "second/3");
}

TEST_CASE("a check that cannot apply is recorded as skipped with its reason, and not run") {
    FakeRunner runner;
    MemoryLog log;
    auto p = plan();
    p.checkpoints[0].rows[0].checks[0].skip = "the site file gives no name";
    run(p, runner, log);
    CHECK(runner.ran.front() == "1b");
    CHECK(log.events[2]["reason"] == "the site file gives no name");
    CHECK(log.events[2]["outcome"] == "skip");
}

TEST_CASE("an interrupted run has no verdict for the check in flight and no end") {
    FakeRunner runner;
    MemoryLog log;
    engine::Options options;
    options.interrupted = [&] { return !runner.ran.empty(); };
    const auto ending = run(plan(), runner, log, options);
    CHECK(ending.state == engine::State::interrupted);
    CHECK(log.names() == std::vector<std::string>{"checkpoint", "check"});
}

TEST_CASE("an owner step pauses the run before anything of its checkpoint runs") {
    FakeRunner runner;
    MemoryLog log;
    auto p = plan();
    p.checkpoints[1].owner = {"Enable SR-IOV."};
    CHECK(run(p, runner, log).state == engine::State::paused);
    CHECK(runner.ran.size() == 4);
}

TEST_CASE("--only runs the named checkpoint alone") {
    FakeRunner runner;
    MemoryLog log;
    engine::Options options;
    options.only = {"second"};
    run(plan(), runner, log, options);
    CHECK(runner.ran == std::vector<std::string>{"3a"});
}

namespace {

// Offers one earlier pass, of the check "3a".
struct OneEarlier : engine::Reuse {
    std::vector<std::string> changed;
    Answer ask(const std::string&, const std::string&, const runbook::PlannedCheck& asked) override {
        if (asked.id != "3a") return {};
        if (!changed.empty()) return {std::nullopt, 0, changed};
        return {json{{"event", "verdict"},
                     {"outcome", "pass"},
                     {"attempt", 1},
                     {"seq", 7},
                     {"sum", "x"},
                     {"time", "then"},
                     {"evidence", {"old"}},
                     {"changed", {"gid was 2, is 3"}}},
                60,
                {}};
    }
};

}  // namespace

TEST_CASE("an earlier pass that counts again is told in the new attempt, with its age and its own evidence, and not run") {
    FakeRunner runner;
    MemoryLog log;
    OneEarlier earlier;
    engine::Options options;
    options.reuse = &earlier;
    CHECK(run(plan(), runner, log, options).state == engine::State::passed);
    CHECK(std::find(runner.ran.begin(), runner.ran.end(), "3a") == runner.ran.end());
    const json& told = log.events.at(log.events.size() - 3);
    CHECK(told["checkpoint"] == "second");
    CHECK(told["attempt"] == 3);
    CHECK(told["reused"]["attempt"] == 1);
    CHECK(told["reused"]["age"] == 60);
    CHECK(told["evidence"] == json{"old"});
    CHECK_FALSE(told.contains("sum"));
    CHECK_FALSE(told.contains("changed"));  // that is why it ran then; now it has not
}

TEST_CASE("what has changed since an earlier pass stands beside the new verdict") {
    FakeRunner runner;
    MemoryLog log;
    OneEarlier earlier;
    earlier.changed = {"gid was 3, is 4"};
    engine::Options options;
    options.reuse = &earlier;
    run(plan(), runner, log, options);
    CHECK(runner.ran.back() == "3a");
    CHECK(log.events.at(log.events.size() - 3)["changed"] == json{"gid was 3, is 4"});
}

TEST_CASE("at the first failure both ends are kept, once in a run, and not where nothing failed") {
    FakeRunner runner;
    MemoryLog log;
    runner.answers = {{"1a", Outcome::fail}, {"2b", Outcome::not_run}};
    engine::execute(plan(), runner, log, {});
    CHECK(runner.snapshots == std::vector<std::string>{"1a"});
    std::vector<json> snapshots;
    for (const auto& e : log.events)
        if (e["event"] == "snapshot") snapshots.push_back(e);
    REQUIRE(snapshots.size() == 2);
    CHECK(snapshots[0]["machine"] == "node-a");
    CHECK(snapshots[1]["evidence"].size() == 1);
    CHECK(snapshots[1]["row"] == "one");

    FakeRunner healthy;
    MemoryLog quiet;
    healthy.answers = {{"1a", Outcome::warn}};
    engine::execute(plan(), healthy, quiet, {});
    CHECK(healthy.snapshots.empty());
}

TEST_CASE("the rows of one round run side by side, check by check, and a row that has failed goes no further") {
    runbook::Plan p;
    p.checkpoints.resize(1);
    p.checkpoints[0].id = "bulk";
    p.checkpoints[0].rows = {{"ab", {check("ab1"), check("ab2")}, 1},
                             {"cd", {check("cd1"), check("cd2")}, 1},
                             {"ac", {check("ac1")}, 2},
                             {"plain", {check("p1")}},
                             {"more", {check("p2")}}};
    FakeRunner runner;
    MemoryLog log;
    runner.answers = {{"ab1", Outcome::fail}};
    const auto ending = engine::execute(p, runner, log, {});
    CHECK(ending.worst == Outcome::fail);
    using Ids = std::vector<std::string>;
    CHECK(runner.together == std::vector<Ids>{{"ab1", "cd1"}, {"cd2"}, {"ac1"}, {"p1"}, {"p2"}});
}

TEST_CASE("rows whose checks all say so run side by side, thirty-two in hand; a rack does not wait for one machine after the other") {
    runbook::Plan p;
    p.checkpoints.resize(1);
    p.checkpoints[0].id = "logins";
    for (int i = 0; i < 40; ++i)
        p.checkpoints[0].rows.push_back({.label = std::to_string(i), .checks = {check("c")}, .side_by_side = true});
    FakeRunner runner;
    MemoryLog log;
    engine::execute(p, runner, log, {});
    REQUIRE(runner.together.size() == 2);
    CHECK(runner.together[0].size() == 32);
    CHECK(runner.together[1].size() == 8);
    p.checkpoints[0].rows[1].side_by_side = false;
    runner.together.clear();
    engine::execute(p, runner, log, {});
    REQUIRE(runner.together.size() == 4);
    CHECK(runner.together[1].size() == 1);
    CHECK(runner.together[2].size() == 32);
}
