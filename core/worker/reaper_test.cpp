#include "worker/reaper.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "catch.hpp"
#include "worker/memory.hpp"

using namespace diag::worker;

namespace {

constexpr int no_mounts = 99;

[[noreturn]] void sleep_for_ever() {
    for (;;) ::pause();
}

// A child, in a session of its own, with a child.
pid_t family() {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    ::setsid();
    if (::fork() == 0) ::setsid();
    sleep_for_ever();
}

bool has(const std::vector<pid_t>& pids, pid_t pid) { return std::ranges::find(pids, pid) != pids.end(); }

}  // namespace

TEST_CASE("descendants in sessions of their own are found, stopped and ended, orphans too") {
    REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    Reaper reaper;
    CHECK_FALSE(reaper.reap());
    const pid_t first = family();
    family();
    while (reaper.living().size() < 4) ::usleep(1000);
    CHECK(has(children_of(::getpid()), first));
    CHECK(descendants_memory() > 0);
    CHECK(descendants_memory_exact() <= descendants_memory());
    ::kill(first, SIGKILL);  // its child comes to this process
    int status = 0;
    bool gone = false;
    while (!gone) CHECK(reaper.reap(first, &status, &gone));
    CHECK(WTERMSIG(status) == SIGKILL);
    CHECK(reaper.living().size() == 3);
    CHECK(reaper.kill_all().empty());
    CHECK_FALSE(reaper.reap());
    CHECK(descendants_memory() == 0);
}

TEST_CASE("what is spared lives on, and so does what lies below it") {
    REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    const pid_t spared = family(), other = family();
    Reaper everything;
    while (everything.living().size() < 4) ::usleep(1000);
    CHECK(Reaper([&](pid_t pid) { return pid == spared; }).kill_all().empty());
    CHECK(everything.living().size() == 2);
    CHECK_FALSE(has(children_of(::getpid()), other));
    everything.kill_all();
}

TEST_CASE("what outlives SIGKILL is described and given up on, and holds up nobody after that") {
    Reaper reaper;
    const pid_t pid = ::fork();
    if (pid == 0) sleep_for_ever();
    const auto stuck = reaper.kill_all(std::chrono::milliseconds(-1));  // no patience: even a quick death is too slow
    REQUIRE(stuck.size() == 1);
    CHECK(stuck[0].pid == pid);
    CHECK_THAT(stuck[0].status, ContainsSubstring("State:"));
    CHECK_FALSE(stuck[0].wchan.empty());
    CHECK(reaper.living().empty());
    CHECK(reaper.kill_all().empty());
    while (reaper.reap()) ::usleep(1000);
}

TEST_CASE("a child that /proc does not show is said to be left, and one that it shows is ended") {
    if (::geteuid() != 0) return;
    for (const bool blind : {true, false}) {
        const pid_t test = ::fork();
        if (test == 0) {
            ::prctl(PR_SET_CHILD_SUBREAPER, 1);
            if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(no_mounts);
            if (blind && ::umount2("/proc", MNT_DETACH) != 0) ::_exit(9);
            const pid_t pid = ::fork();
            if (pid == 0) sleep_for_ever();
            Reaper reaper;
            const bool stuck = !reaper.kill_all(std::chrono::milliseconds(200)).empty();
            const bool unseen = reaper.unseen(), said = unseen_processes().has_value();
            ::kill(pid, SIGKILL);
            ::_exit((stuck ? 4 : 0) + (unseen ? 2 : 0) + (said ? 1 : 0));
        }
        int status = 0;
        ::waitpid(test, &status, 0);
        if (WEXITSTATUS(status) == no_mounts) return;  // a chroot whose / is no mount point
        CHECK(WEXITSTATUS(status) == (blind ? 3 : 0));
    }
}

TEST_CASE("a process's name may hold what stands between the fields of its stat") {
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::prctl(PR_SET_NAME, "a) Z 1 (b");
        sleep_for_ever();
    }
    while (read_process(pid).value().name != "a) Z 1 (b") ::usleep(1000);
    const auto process = read_process(pid).value();
    CHECK(process.parent == ::getpid());
    CHECK(process.session == ::getsid(0));
    CHECK(process.alive());
    ::kill(pid, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
    CHECK_FALSE(read_process(pid).value().alive());
    ::waitpid(pid, nullptr, 0);
    CHECK_FALSE(read_process(pid));
}
