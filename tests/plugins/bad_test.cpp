// Each way in which a check can misbehave: its own cause, what it said before is kept, nothing stays behind, and
// the worker goes on.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "catch.hpp"
#include "fixture.hpp"

using namespace diag;
using namespace diag::test;
using host::Outcome;

namespace {

bool kept(const Result& r) {
    return r.measurements.size() >= 1 && r.measurements[0].name == "before" && !r.evidence.empty() && r.evidence[0].text == "kept" &&
           r.facts == json{{"before", "kept"}} && r.asked == "what was asked";
}

// The worker alone is left, and runs the next check.
void check_aftermath(BadPlugin& bad) {
    CHECK(marked_processes().size() == 1);
    CHECK(bad.run("good").outcome == Outcome::pass);
}

void check_not_run(const std::string& name, const std::string& cause) {
    INFO(name);
    BadPlugin bad;
    const Result r = bad.run(name);
    CHECK(r.outcome == Outcome::not_run);
    CHECK(r.cause == cause);
    CHECK_FALSE(r.reason.empty());
    CHECK_FALSE(r.next.empty());
    CHECK(kept(r));
    check_aftermath(bad);
}

}  // namespace

TEST_CASE("a good check passes, so that the others fail for their own reasons") {
    BadPlugin bad;
    CHECK(bad.catalogue.refusals.empty());
    const Result r = bad.run("good");
    CHECK(r.outcome == Outcome::pass);
    CHECK(r.reason == "all is well");
    CHECK(r.cause.empty());
    CHECK(r.notes.empty());
}

TEST_CASE("a crash is not_run, and takes nothing with it") {
    for (const char* name : {"null-write", "abort", "late-crash"}) check_not_run(name, "worker.signal");
}

TEST_CASE("what a check throws ends that check alone") {
    for (const char* name : {"exception", "throw-int"}) check_not_run(name, "worker.exception");
    BadPlugin bad;
    CHECK_THAT(bad.run("exception").reason, ContainsSubstring("the cable is on fire"));
}

TEST_CASE("a check that cannot use, find, read or tell something says which of them, and is not called broken") {
    check_not_run("parameter", "worker.parameter");
    check_not_run("unknown", "worker.unknown");
    for (const char* name : {"absent", "unreadable"}) check_not_run(name, "worker.unreadable");
    BadPlugin bad;
    CHECK(bad.run("parameter").reason == "count: 1 to 1000");
    CHECK(bad.run("absent").reason == "no interface eth7");
    for (const char* name : {"declared-absent", "declared-unreadable"}) {  // the check says itself what this means
        const Result r = bad.run(name);
        CHECK(r.outcome == Outcome::fail);
        CHECK(r.cause == "bad.declared");
    }
}

TEST_CASE("a worker that may not open the pipes of a check says so, and goes on where it may again") {
#if defined(__SANITIZE_ADDRESS__)
    WARN("skipped: the sanitizer itself opens pipes to look at what an exception is");
    return;
#endif
    BadPlugin bad;
    const auto worker = children_named("diag-worker");
    REQUIRE(worker.size() == 1);
    rlimit before{};
    REQUIRE(::prlimit(worker[0], RLIMIT_NOFILE, nullptr, &before) == 0);
    const rlimit few{5, before.rlim_max}, enough{64, before.rlim_max};
    REQUIRE(::prlimit(worker[0], RLIMIT_NOFILE, &few, nullptr) == 0);
    const Result r = bad.run("good");
    CHECK(r.outcome == Outcome::not_run);
    CHECK(r.cause == "worker.not-started");
    CHECK_THAT(r.reason, ContainsSubstring("Too many open files"));
    REQUIRE(::prlimit(worker[0], RLIMIT_NOFILE, &enough, nullptr) == 0);
    check_aftermath(bad);
    CHECK(children_named("diag-worker") == worker);
}

TEST_CASE("a process that the worker cannot kill is left behind and described, and the run goes on") {
    if (::geteuid() != 0) {
        WARN("skipped: a process that the worker may not kill needs root");
        return;
    }
    BadPlugin bad({"/usr/bin/env", "setpriv", "--bounding-set=-kill", worker_path, "--here"});  // root, without the right to kill others'
    CHECK(bad.run("sleep").cause == "worker.deadline");                                         // its own it may
    const Result r = bad.run("becomes-another");
    CHECK(r.outcome == Outcome::not_run);
    CHECK(r.cause == "worker.stuck");
    CHECK(r.reason == "1 process of it could not be killed");
    CHECK(r.seconds < 10);
    CHECK(kept(r));
    CHECK(r.evidence.back().name == "stuck");
    CHECK_THAT(r.evidence.back().text, ContainsSubstring("Uid:\t65534"));
    CHECK(bad.run("good").outcome == Outcome::pass);
    const auto workers = children_named("diag-worker");
    for (const pid_t pid : marked_processes())
        if (std::ranges::find(workers, pid) == workers.end()) ::kill(pid, SIGKILL);
    CHECK(soon([] { return marked_processes().size() == 1; }));
}

TEST_CASE("a check that does not end is ended at its deadline") {
    for (const char* name : {"loop", "sleep", "ignores-signals", "sleepers", "forks"}) check_not_run(name, "worker.deadline");
}

TEST_CASE("a check that ends without a verdict has not passed") {
    check_not_run("silent-exit", "worker.no-verdict");
    check_not_run("error-exit", "worker.exit");
    BadPlugin bad;
    CHECK(bad.run("error-exit").evidence.back().text == "a last word\n");
}

TEST_CASE("memory is bounded: for a process, and for all of them together") {
    BadPlugin bad;
    SECTION("one process, by its own limit") {
        bad.options.limits = {{"data", 64 << 20}};
        const Result r = bad.run("allocate");
        CHECK(r.cause == "worker.memory");
        CHECK(kept(r));
    }
    SECTION("one process, by the tree's limit") {
        const Result r = bad.run("allocate");
        CHECK(r.cause == "worker.memory");
        CHECK(r.seconds < 5);
        CHECK(kept(r));
    }
    SECTION("many processes that want 10 GB together, long before they have it") {
        const Result r = bad.run("allocate-many");
        CHECK(r.cause == "worker.memory");
        int held = 0;  // MiB
        REQUIRE(std::sscanf(r.reason.c_str(), "its processes held %d MiB", &held) == 1);
        CHECK(held > 96);
        CHECK(held < 2048);
        CHECK(r.seconds < 5);
        CHECK(kept(r));
    }
    SECTION("twenty processes that share 8 MiB do not hold 160") { CHECK(bad.run("share").outcome == Outcome::pass); }
    check_aftermath(bad);
}

TEST_CASE("a gigabyte of output is cut, and what came first is kept") {
    check_not_run("flood", "worker.output");
    BadPlugin bad;
    const Result r = bad.run("flood");
    CHECK(r.evidence.back().name == "stdout");
    CHECK(r.evidence.back().text.size() == std::size_t{1} << 20);
    CHECK(bad.run("flood", {{"bytes", 512 << 10}}).outcome == Outcome::pass);  // its twin keeps to the limit
}

TEST_CASE("events are bounded in number and length") {
    for (const char* name : {"many-events", "long-line"}) check_not_run(name, "worker.events");
    BadPlugin bad;
    CHECK_THAT(bad.run("long-line").reason, ContainsSubstring("event 5 has more than 1048576 bytes") && ContainsSubstring("\"saw\""));
    CHECK_THAT(bad.run("many-events").reason, ContainsSubstring("more than 10000 events"));
}

TEST_CASE("evidence that is too long is cut with a mark, and the verdict beside it counts") {
#if defined(__SANITIZE_ADDRESS__)
    WARN("skipped: the sanitizer keeps what is freed, and copies of these texts are then more memory than a check may have");
    return;
#endif
    BadPlugin bad;
    bad.options.timeout = 20;
    const Result r = bad.run("much-evidence");
    CHECK(r.outcome == Outcome::pass);
    REQUIRE(r.evidence.size() == 20);
    CHECK_THAT(r.evidence[0].text, Catch::Matchers::EndsWith("\n... cut: 511999 of 4194304 bytes kept\n"));
    CHECK(r.evidence[19].text == "\n... cut: 0 of 4194304 bytes kept\n");
}

TEST_CASE("junk on the channel spoils the verdict beside it") {
    for (const char* name : {"junk", "half-line", "deep", "unknown-event", "two-verdicts"}) check_not_run(name, "worker.junk");
}

TEST_CASE("an answer that contradicts itself does not count") {
    check_not_run("nan", "worker.measurement");
    for (const char* name : {"limit-nan", "limit-nan-exactly", "limit-infinite"}) check_not_run(name, "worker.measurement");
    for (const char* name : {"broken-limit", "skip-broken-limit"}) check_not_run(name, "worker.pass-outside-limit");
    check_not_run("no-reason", "worker.reason-missing");
    check_not_run("undeclared", "worker.undeclared-cause");
    check_not_run("no-cause", "worker.cause-missing");
}

TEST_CASE("limits that every value keeps to are none") {
    BadPlugin bad;
    const Result r = bad.run("limit-none");
    CHECK(r.outcome == Outcome::pass);
    CHECK_FALSE(r.measurements.at(1).min);
    CHECK_FALSE(r.measurements.at(1).max);
}

TEST_CASE("a share of 80 percent that is read as a whole number is no limit of 0") {
    check_not_run("wrong-accessor", "worker.exception");
    BadPlugin bad;
    CHECK_THAT(bad.run("wrong-accessor").reason, ContainsSubstring("'free' was read as integer, and is declared as fraction"));
}

TEST_CASE("a pass whose processes run on is not_run, a fail stays a fail") {
    for (const char* name : {"left-sleepers", "left-stubborn", "left-pipe-holder", "left-chains"})
        check_not_run(name, "worker.left-running");
    BadPlugin bad;
    const Result r = bad.run("left-by-fail");
    CHECK(r.outcome == Outcome::fail);
    CHECK(r.cause == "bad.declared");
    REQUIRE(r.notes.size() == 1);
    CHECK_THAT(r.notes[0], ContainsSubstring("worker.left-running"));
    check_aftermath(bad);
}

TEST_CASE("a child that ends just after its parent is nobody's fault") {
    BadPlugin bad;
    CHECK(bad.run("left-short-lived").outcome == Outcome::pass);
    check_aftermath(bad);
}

TEST_CASE("a child that holds the pipe does not hold up the run") {
    BadPlugin bad;
    bad.options.timeout = 30;
    CHECK(bad.run("left-pipe-holder").seconds < 5);
}

TEST_CASE("terminal escapes are kept as data, and a remedy with them cannot run a command") {
    BadPlugin bad;
    const Result r = bad.run("escapes");
    CHECK(r.outcome == Outcome::fail);
    CHECK(r.cause == "bad.declared");
    CHECK(r.mover == "hardware");
    CHECK(r.reason == "\x1b[2J\x1b[31mred\x07");
    CHECK(r.next == "mend 'a'\\''; reboot \x1b[0m' on <machine>");
}

TEST_CASE("invalid UTF-8 is replaced, and said") {
    BadPlugin bad;
    Result r = bad.run("invalid-utf8");
    CHECK(r.outcome == Outcome::pass);
    CHECK(r.saw == "caf\xef\xbf\xbd");
    CHECK(r.notes.size() == 1);
    r = bad.run("prints");
    REQUIRE(r.evidence.size() == 2);
    CHECK(r.evidence[0].text == "to stdout\n");
    CHECK(r.evidence[1].text == "to stderr \xef\xbf\xbd\n");
    CHECK(r.notes.size() == 1);
}

TEST_CASE("a check that lacks a program says how to get it") {
    BadPlugin bad;
    const Result r = bad.run("needs-program");
    CHECK(r.outcome == Outcome::not_run);
    CHECK(r.cause == "worker.privilege");
    CHECK(r.next == "sudo apt install such-a-package");
    check_aftermath(bad);
}
