// Hosts and workers that die, fall silent or are interrupted: nothing goes on running, and what came is kept.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "catch.hpp"
#include "fixture.hpp"
#include "host/worker_process.hpp"
#include "worker/descendants.hpp"
#include "worker/exclusive_lock.hpp"

using namespace diag;
using namespace diag::test;
using namespace std::chrono_literals;
using host::Outcome;

namespace {

// The sleepers check has started: fifty of them, the check itself, and the worker.
bool sleepers_run() { return marked_processes().size() > 50; }
bool nothing_runs() { return marked_processes().empty(); }

}  // namespace

TEST_CASE("a host that is killed leaves nothing running") {
    set_mark();
    const std::string folder = plugin_folder() + "/bad";
    std::array<const char*, 5> argv = {DIAG_TEST_DOOMED_HOST, worker_path.c_str(), folder.c_str(), "bad.sleepers", nullptr};
    pid_t host = 0;
    posix_spawn_file_actions_t quiet;
    ::posix_spawn_file_actions_init(&quiet);
    ::posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    REQUIRE(::posix_spawn(&host, argv[0], &quiet, nullptr, const_cast<char**>(argv.data()), environ) == 0);
    ::posix_spawn_file_actions_destroy(&quiet);
    REQUIRE(soon(sleepers_run));
    ::kill(host, SIGKILL);
    ::waitpid(host, nullptr, 0);
    CHECK(soon(nothing_runs));
    for (const pid_t adopted : worker::children_of(::getpid())) ::waitpid(adopted, nullptr, 0);  // its worker
}

TEST_CASE("a worker that is killed loses its check and nothing else") {
    BadPlugin bad;
    bad.options.timeout = 20;
    const auto workers = children_named("diag-worker");
    REQUIRE(workers.size() == 1);
    bool started = false;
    std::thread killer([&] {
        started = soon(sleepers_run);
        ::kill(workers[0], SIGKILL);
    });
    const Result r = bad.run("sleepers");
    killer.join();
    CHECK(started);
    CHECK(r.outcome == Outcome::not_run);
    CHECK(r.cause == "worker.lost");
    CHECK(r.measurements.size() == 1);
    CHECK(nothing_runs());
    CHECK(bad.run("good").outcome == Outcome::pass);
}

TEST_CASE("a worker that was killed between two checks is started again") {
    BadPlugin bad;
    const auto workers = children_named("diag-worker");
    REQUIRE(workers.size() == 1);
    ::kill(workers[0], SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(workers[0]), &info, WEXITED | WNOWAIT);
    CHECK(bad.run("good").outcome == Outcome::pass);
}

TEST_CASE("a host that falls silent loses its check, though its connection stays open") {
    set_mark();
    host::WorkerProcess silent(worker_here);
    silent.send('R', 0, R"({"op":"hello","protocol":1,"silence":1})");
    silent.send(
        'R', 1,
        json{{"op", "run"}, {"id", 1}, {"file", plugin_folder() + "/bad/bad.so"}, {"request", {{"check", "sleepers"}}}, {"deadline", 60}}
            .dump());
    REQUIRE(soon(sleepers_run));
    CHECK(soon(nothing_runs));
    CHECK(soon([&] { return !silent.receive(host::WorkerProcess::Clock::now()) && silent.gone(); }));
}

TEST_CASE("a host that beats its heart keeps its check") {
    set_mark();
    host::WorkerProcess lively(worker_here);
    lively.send('R', 0, R"({"op":"hello","protocol":1,"silence":1})");
    lively.send(
        'R', 1,
        json{{"op", "run"}, {"id", 1}, {"file", plugin_folder() + "/bad/bad.so"}, {"request", {{"check", "sleepers"}}}, {"deadline", 60}}
            .dump());
    REQUIRE(soon(sleepers_run));
    for (int i = 0; i < 15; ++i) {
        std::this_thread::sleep_for(100ms);
        lively.send('H', 0, "");
    }
    CHECK(sleepers_run());
}

TEST_CASE("an interrupted check ends at once, and says that it was interrupted") {
    BadPlugin bad;
    bad.options.timeout = 20;
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const base::Fd read_end(ends[0]), write_end(ends[1]);
    bad.options.interrupt_fd = read_end.get();
    std::thread interrupter([&] {
        soon(sleepers_run);
        base::write_all(write_end.get(), "x", "pipe");
    });
    const Result r = bad.run("sleepers");
    interrupter.join();
    CHECK(r.cause == "worker.interrupted");
    CHECK(r.measurements.size() == 1);
    CHECK(r.seconds < 10);
    CHECK(marked_processes().size() == 1);
    CHECK(bad.run("good").cause == "worker.interrupted");  // still readable: nothing begins
}

TEST_CASE("an exclusive check waits for the machine, and names the holder when it does not get it") {
    BadPlugin bad;
    CHECK(bad.run("good-exclusive").outcome == Outcome::pass);
    bad.options.limits["lock_wait"] = 0.3;
    {
        worker::ExclusiveLock held;
        REQUIRE(held.try_take());
        const Result r = bad.run("good-exclusive");
        CHECK(r.outcome == Outcome::not_run);
        CHECK(r.cause == "machine.busy");
        CHECK_THAT(r.reason, ContainsSubstring("process " + std::to_string(::getpid())));
        CHECK(bad.run("good").outcome == Outcome::pass);
    }
    CHECK(bad.run("good-exclusive").outcome == Outcome::pass);
}

TEST_CASE("the lab's nodes do not wait for each other: DIAG_LOCK names another lock, and only by a whole path") {
    const auto usual = worker::exclusive_lock_path();
    const std::string own = fmt::format("/tmp/diag-lock-test-{}", ::getpid());
    worker::ExclusiveLock held;
    REQUIRE(held.try_take());
    ::setenv("DIAG_LOCK", "relative.lock", 1);
    CHECK(worker::exclusive_lock_path() == usual);
    ::setenv("DIAG_LOCK", own.c_str(), 1);
    CHECK(worker::ExclusiveLock().try_take());
    ::unsetenv("DIAG_LOCK");
    std::filesystem::remove(own);
}

namespace {

// The answer of a worker that is started by these words.
Result run_by(std::vector<std::string> words, BadPlugin& bad, const std::string& name) {
    words.insert(words.end(), worker_here.begin(), worker_here.end());
    host::WorkerClient client(words);
    return client.run(bad.check(name), bad.catalogue.plugin_of("bad." + name)->file, json::object(), bad.options);
}

}  // namespace

TEST_CASE("a lock that cannot be had is not told as somebody who loads the machine") {
    BadPlugin bad;
    bad.options.limits["lock_wait"] = 0.3;
    const Result absent = run_by({"/usr/bin/env", "DIAG_LOCK=/nonexistent/lock"}, bad, "good-exclusive");
    CHECK(absent.outcome == Outcome::not_run);
    CHECK(absent.cause == "machine.no-lock");
    CHECK_THAT(absent.reason, ContainsSubstring("/nonexistent/lock: No such file"));
    const std::string own = fmt::format("/tmp/diag-lock-test-{}", ::getpid());
    ::setenv("DIAG_LOCK", own.c_str(), 1);
    worker::ExclusiveLock held;
    REQUIRE(held.try_take());
    CHECK(run_by({"/usr/bin/env"}, bad, "good-exclusive").cause == "machine.busy");
    ::unsetenv("DIAG_LOCK");
    std::filesystem::remove(own);
}

TEST_CASE("where /proc shows no processes, or those of another namespace, no check passes and nothing stays") {
    BadPlugin bad;
    const std::vector<std::string> mounts = {"/usr/bin/unshare", "--mount", "/bin/sh", "-c", "exec \"$0\" \"$@\""};
    if (::geteuid() != 0 || run_by(mounts, bad, "good").outcome != Outcome::pass) {
        WARN("skipped: no mounts of its own can be had here");
        return;
    }
    auto blind = mounts;
    blind.back() = "umount -l /proc && exec \"$0\" \"$@\"";
    for (const char* name : {"good", "left-sleepers", "left-stubborn"}) {
        const Result r = run_by(blind, bad, name);
        CHECK(r.outcome == Outcome::not_run);
        CHECK(r.cause == "worker.unseen");
        CHECK_THAT(r.reason, ContainsSubstring("/proc shows no process"));
    }
    const std::vector<std::string> outer = {"/usr/bin/unshare", "--pid", "--fork", "--kill-child"};
    const Result r = run_by(outer, bad, "left-sleepers");
    CHECK(r.cause == "worker.unseen");
    CHECK_THAT(r.reason, ContainsSubstring("another process namespace"));
    CHECK(soon([] { return marked_processes().size() == 1; }));  // the worker of `bad`
    // The twins, whose /proc is their own.
    CHECK(run_by(mounts, bad, "left-sleepers").cause == "worker.left-running");
    CHECK(run_by({"/usr/bin/unshare", "--pid", "--fork", "--kill-child", "--mount-proc"}, bad, "good").outcome == Outcome::pass);
    CHECK(soon([] { return marked_processes().size() == 1; }));
}

TEST_CASE("a worker that is not there, or is something else, is said") {
    BadPlugin bad;
    const std::string file = bad.catalogue.plugin_of("bad.good")->file;
    host::WorkerClient absent({"/nonexistent/diag-worker"}), other({"/bin/echo", "Welcome to this machine"});
    CHECK(absent.run(bad.check("good"), file, json::object(), {}).cause == "worker.lost");
    const Result r = other.run(bad.check("good"), file, json::object(), {});
    CHECK(r.cause == "worker.lost");
    CHECK_THAT(r.reason, ContainsSubstring("Welcome to this machine"));
}
