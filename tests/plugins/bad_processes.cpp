// Checks that start processes and do not end them.
#include <signal.h>
#include <unistd.h>

#include "bad.hpp"

using namespace diag;

namespace {

void sleeper() {
    for (;;) ::pause();
}

// Fifty processes, each in a session of its own: a kill of the process group would miss them.
void start_sleepers() {
    for (int i = 0; i < 50; ++i)
        if (::fork() == 0) {
            ::setsid();
            sleeper();
        }
}

Verdict sleepers(Context& c) {
    bad::before(c);
    start_sleepers();
    c.progress("fifty asleep");
    sleeper();
    return pass("unreachable");
}

Verdict leaves_sleepers(Context& c) {
    bad::before(c);
    start_sleepers();
    return pass("they sleep");
}

Verdict fails_and_leaves_one(Context& c) {
    bad::before(c);
    if (::fork() == 0) sleeper();
    return fail("bad.declared", "it failed before it left one behind");
}

Verdict leaves_stubborn(Context& c) {
    bad::before(c);
    if (::fork() == 0) {
        ::signal(SIGTERM, SIG_IGN);
        ::signal(SIGHUP, SIG_IGN);
        sleeper();
    }
    return pass("one ignores SIGTERM");
}

// Its stdout, stderr and channel stay open in the child.
Verdict leaves_pipe_holder(Context& c) {
    bad::before(c);
    if (::fork() == 0) {
        ::setsid();
        if (::fork() != 0) ::_exit(0);
        sleeper();
    }
    return pass("one holds the pipe");
}

// Ends by itself in a moment: nobody's fault.
Verdict leaves_short_lived(Context&) {
    if (::fork() == 0) {
        ::usleep(10000);
        ::_exit(0);
    }
    return pass("one is about to end");
}

// Each process forks the next one and ends, so that none lives long enough to be found easily.
void chain() {
    for (;;)
        if (const pid_t pid = ::fork(); pid != 0) ::_exit(0);
}

Verdict leaves_chains(Context& c) {
    bad::before(c);
    for (int i = 0; i < 4; ++i)
        if (::fork() == 0) {
            ::setsid();
            chain();
        }
    return pass("four chains");
}

// Parents that fork children as fast as the kernel lets them, 400 at most.
Verdict forks_fast(Context& c) {
    bad::before(c);
    for (int i = 0; i < 4; ++i)
        if (::fork() == 0) {
            ::setsid();
            for (int child = 0; child < 100; ++child)
                if (::fork() == 0) sleeper();
            sleeper();
        }
    sleeper();
    return pass("unreachable");
}

}  // namespace

void bad::declare_processes(Plugin& plugin) {
    plugin.check("sleepers", "Fifty processes that never end, and neither does it", sleepers).takes(0.5);
    plugin.check("left-sleepers", "Leaves fifty processes", leaves_sleepers);
    plugin.check("left-by-fail", "Fails, and leaves a process", fails_and_leaves_one)
        .cause("bad.declared", mover::hardware, "It failed.", "none");
    plugin.check("left-stubborn", "Leaves a process that ignores SIGTERM", leaves_stubborn);
    plugin.check("left-pipe-holder", "Leaves a process that holds its pipes", leaves_pipe_holder);
    plugin.check("left-short-lived", "Leaves a process that ends at once", leaves_short_lived);
    plugin.check("left-chains", "Leaves processes that fork and end", leaves_chains);
    plugin.check("forks", "Forks fast, and never ends", forks_fast).takes(0.3);
}
