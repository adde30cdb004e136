// Checks in two halves, through two real workers: whatever a half does, the other one ends, and the cause says whose it was.
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "catch.hpp"
#include "fixture.hpp"
#include "host/peers.hpp"
#include "worker/descendants.hpp"
#include "worker/exclusive_lock.hpp"

using namespace diag;
using namespace diag::test;
using namespace std::chrono_literals;
using host::Outcome;

namespace {

// Both "machines" are this one; what a real ssh does is tested in the lab.
struct Pair {
    Pair() : here(worker_here), there({"/usr/bin/env", "DIAG_LOCK=" + lock, worker_path}, "node-b") {
        set_mark();
        ::setenv("DIAG_PLUGINS", (plugin_folder() + "/pair").c_str(), 1);
        options.timeout = 1;
        catalogue = here.load({plugin_folder() + "/pair"});
    }
    Pair(const Pair&) = delete;
    Pair& operator=(const Pair&) = delete;

    Result run(const std::string& here_does, const std::string& there_does, const std::string& check = "pair.sum") {
        const auto* info = catalogue.check(check);
        const std::string file = catalogue.plugin_of(check)->file;
        host::RunOptions a = options, b = options;
        a.machine = "node-a";
        b.machine = "node-b";
        const host::Question question{
            {here, *info, file, a}, host::PairEnd{there, *info, file, b}, {{"here", here_does}, {"there", there_does}}};
        return host::ask_all({question}).front();
    }

    ~Pair() {
        ::unlink(lock.c_str());
        ::unsetenv("DIAG_PLUGINS");
    }

    std::string lock = "/tmp/diag-test-" + std::to_string(::getpid()) + ".lock";
    host::WorkerClient here, there;
    host::Catalogue catalogue;
    host::RunOptions options;
};

// Here one worker, and for the peer, whose worker nobody above would tidy up after, a guard and the worker below it.
struct Workers {
    std::vector<pid_t> ours;  // the one here, and guards
    pid_t guard() const { return ours.at(1); }
    pid_t far() const { return worker::children_of(guard()).at(0); }
};

Workers workers() {
    Workers found;
    for (const pid_t pid : worker::children_of(::getpid()))
        if (const auto process = worker::read_process(pid); process && process->alive() && process->name == "diag-worker")
            found.ours.push_back(pid);
    return found;
}

bool only_workers_run() { return workers().ours.size() == 2 && marked_processes().size() == 3; }

}  // namespace

TEST_CASE("two halves talk through the host, and one result tells of both") {
    Pair pair;
    const Result r = pair.run("work", "work");
    CHECK(r.outcome == Outcome::pass);
    CHECK(r.reason == "node-b says 3, to node-a");
    REQUIRE(r.measurements.size() == 2);
    CHECK(r.measurements[1].name == "there.numbers");
    REQUIRE(r.evidence.size() == 2);
    CHECK(r.evidence[1].name == "there.kept");
    CHECK(r.facts == json{{"where", "node-a"}, {"there.where", "node-b"}});
    CHECK(pair.run("work", "work", "pair.loads").outcome == Outcome::pass);
}

TEST_CASE("the worse verdict counts, with the side that gave it") {
    Pair pair;
    const Result far = pair.run("work", "fail"), near = pair.run("fail", "work"), worn = pair.run("work", "warn");
    CHECK(far.cause == "pair.broken");
    CHECK(far.reason == "on node-b: this end is broken");
    CHECK(near.cause == "pair.broken");
    CHECK(near.reason == "this end is broken");
    // The half that has said its warning is gone, and the other one cannot tell.
    CHECK(worn.outcome == Outcome::not_run);
    CHECK(worn.cause == "peer.companion-lost");
}

TEST_CASE("a half that goes wrong ends the other one, and nothing is left") {
    Pair pair;
    CHECK(pair.run("crash", "work").cause == "worker.signal");
    CHECK(pair.run("throw", "work").cause == "worker.exception");
    CHECK(pair.run("exit", "work").cause == "worker.no-verdict");
    CHECK(pair.run("sleepers", "work").cause == "worker.left-running");
    const Result crashed = pair.run("work", "crash"), later = pair.run("work", "crash-later"), silent = pair.run("work", "sleep");
    CHECK(crashed.cause == "worker.signal");
    CHECK_THAT(crashed.reason, ContainsSubstring("on node-b"));
    CHECK(later.cause == "worker.signal");
    CHECK(later.measurements.size() == 2);
    CHECK(pair.run("work", "throw").cause == "worker.exception");
    CHECK(silent.cause == "peer.companion-lost");
    CHECK_THAT(silent.reason, ContainsSubstring("said nothing for 2 s"));
    CHECK(pair.run("work", "sleepers-later").outcome != Outcome::pass);
    CHECK(only_workers_run());
    CHECK(pair.run("work", "work").outcome == Outcome::pass);
}

TEST_CASE("a peer's worker, or its guard, that is killed in the middle is a lost peer, and nothing is left") {
    const bool kill_guard = GENERATE(true, false);
    Pair pair;
    pair.run("work", "work");
    const pid_t victim = kill_guard ? workers().guard() : workers().far();
    std::thread killer([&] {
        soon([] { return marked_processes().size() > 20; });
        ::kill(victim, SIGKILL);
    });
    const Result r = pair.run("work", "sleepers-later");
    killer.join();
    CHECK(r.outcome == Outcome::not_run);
    CHECK(r.cause == "peer.lost");
    CHECK(pair.run("work", "work").outcome == Outcome::pass);
    CHECK(soon(only_workers_run));
}

TEST_CASE("a peer's worker that is frozen in the middle is lost, and a new connection ends it with all that it started") {
    const bool freeze_guard = GENERATE(true, false);
    Pair pair;
    pair.run("work", "work");
    const pid_t guard = workers().guard(), far = workers().far();
    std::thread freezer([&] {
        soon([] { return marked_processes().size() > 20; });
        if (freeze_guard) ::kill(guard, SIGSTOP);
        ::kill(far, SIGSTOP);
    });
    const Result r = pair.run("work", "sleepers-later");
    freezer.join();
    CHECK(r.outcome == Outcome::not_run);
    CHECK(pair.run("work", "work").outcome == Outcome::pass);
    CHECK(soon(only_workers_run));
}

TEST_CASE("a guard that is frozen by itself disturbs no check, and goes when its worker goes") {
    pid_t guard = 0;
    {
        Pair pair;
        pair.run("work", "work");
        guard = workers().guard();
        ::kill(guard, SIGSTOP);
        CHECK(pair.run("work", "work").outcome == Outcome::pass);
    }
    CHECK_FALSE(worker::read_process(guard));
}

TEST_CASE("a machine that is loaded already is named, and no half has run") {
    Pair pair;
    pair.options.limits["lock_wait"] = 0.3;
    worker::ExclusiveLock held;
    REQUIRE(held.try_take());
    const Result r = pair.run("work", "work", "pair.loads");
    CHECK(r.cause == "machine.busy");
    CHECK(r.measurements.empty());
}

TEST_CASE("a check that needs its other half says so where there is none; one that can do without does") {
    Pair pair;
    const auto alone = [&](const std::string& check) {
        return pair.here.run(*pair.catalogue.check(check), pair.catalogue.plugin_of(check)->file, {{"here", "work"}, {"there", "work"}},
                             pair.options);
    };
    CHECK(pair.catalogue.check("pair.sum")->pair == host::Pair::needed);
    const Result needed = alone("pair.sum");
    CHECK(needed.outcome == Outcome::not_run);
    CHECK(needed.cause == "peer.companion-lost");
    CHECK_THAT(needed.reason, ContainsSubstring("there is no other half"));
    CHECK(pair.catalogue.check("pair.can-do-alone")->pair == host::Pair::wanted);
    const Result wanted = alone("pair.can-do-alone");
    CHECK(wanted.outcome == Outcome::pass);
    CHECK(wanted.reason == "alone");
}

TEST_CASE("what stands in a worker's place on a peer is told apart") {
    Pair pair;
    const auto* info = pair.catalogue.check("pair.sum");
    const std::string file = pair.catalogue.plugin_of("pair.sum")->file;
    const auto cause = [&](std::vector<std::string> argv) {
        host::WorkerClient client(std::move(argv), "node-b");
        return client.run(*info, file, {{"here", "work"}, {"there", "work"}}, {}).cause;
    };
    CHECK(cause({"/bin/sh", "-c", "exit 255"}) == "peer.unreachable");
    CHECK(cause({"/bin/sh", "-c", "diag-worker-that-is-not-there"}) == "peer.diag-missing");
    CHECK(cause({"/bin/echo", "This account is currently not available."}) == "peer.no-worker");
    CHECK(cause({"/nonexistent/ssh"}) == "peer.unreachable");
}

TEST_CASE("a login that prints loses nothing") {
    Pair pair;
    host::WorkerClient noisy({"/bin/sh", "-c", "echo Welcome; echo motd >&2; exec " + worker_path}, "node-b");
    CHECK(noisy.hello()["protocol"] == 1);
    CHECK(noisy.hello()["noise"] == "Welcome\n");
    CHECK_FALSE(Pair().there.hello().contains("noise"));
}
