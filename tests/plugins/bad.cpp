// A plugin whose checks do what a check must not do: crashes, hangs, and ends without a word.
#include "bad.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

using namespace diag;

namespace bad {

void before(Context& context) {
    context.measure("before", 1, unit::count);
    context.evidence("before", "kept");
    context.fact("before", "kept");
    context.asked("what was asked");
}

}  // namespace bad

namespace {

Verdict good(Context&) { return pass("all is well"); }

// A sanitizer would end the process by itself, and not by the signal.
__attribute__((no_sanitize("address", "undefined"))) Verdict null_write(Context& c) {
    bad::before(c);
    volatile int* nowhere = nullptr;
    *nowhere = 1;
    return pass("unreachable");
}

Verdict aborts(Context& c) {
    bad::before(c);
    std::abort();
}

Verdict throws(Context& c) {
    bad::before(c);
    throw std::runtime_error("the cable is on fire");
}

Verdict throws_int(Context& c) {
    bad::before(c);
    throw 1;
}

Verdict loops(Context& c) {
    bad::before(c);
    volatile bool forever = true;
    while (forever) {
    }
    return pass("unreachable");
}

Verdict sleeps(Context& c) {
    bad::before(c);
    c.progress("sleeping");
    for (;;) ::pause();
}

Verdict exits_silently(Context& c) {
    bad::before(c);
    ::_exit(0);
}

Verdict exits_with_error(Context& c) {
    bad::before(c);
    std::fputs("a last word\n", stderr);
    ::_exit(7);
}

Verdict crashes_after_its_verdict(Context& c) {
    bad::before(c);
    c.send({{"event", "verdict"}, {"outcome", "pass"}, {"cause", ""}, {"reason", "too early"}, {"values", json::object()}});
    ::raise(SIGSEGV);
    return pass("unreachable");
}

Verdict ignores_signals(Context& c) {
    bad::before(c);
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_IGN);
    for (;;) ::pause();
}

Verdict rejects(Context& c) {
    bad::before(c);
    throw BadValue("count: 1 to 1000");
}

Verdict cannot_tell(Context& c) {
    bad::before(c);
    throw Unknown("the server said UNKNOWN");
}

Verdict finds_nothing(Context& c) {
    bad::before(c);
    throw Absent("no interface eth7");
}

Verdict may_not_read(Context& c) {
    bad::before(c);
    throw Unreadable("/proc/secret: Permission denied");
}

// Another user's process: who has no right to kill it cannot end it.
Verdict becomes_another(Context& c) {
    bad::before(c);
    if (::setuid(65534) != 0) throw Unknown("only root becomes another");
    for (;;) ::pause();
}

Verdict needs_what_is_not_there(Context&) { return pass("unreachable"); }

Verdict prints(Context&) {
    std::puts("to stdout");
    std::fputs("to stderr \xff\n", stderr);
    return pass("it printed");
}

}  // namespace

DIAG_PLUGIN("bad") {
    about("Does what a check must not do.");
    look([](Look&) { std::abort(); });
    check("good", "The one that is good", good);
    check("good-exclusive", "A good one that loads the machine", good).exclusive();
    check("null-write", "Writes through a null pointer", null_write);
    check("abort", "Aborts", aborts);
    check("exception", "Throws an exception", throws);
    check("throw-int", "Throws what is no exception", throws_int);
    check("loop", "Never ends, busily", loops).takes(0.2);
    check("sleep", "Never ends, asleep", sleeps).takes(0.2);
    check("silent-exit", "Ends without a verdict", exits_silently);
    check("error-exit", "Ends with an error", exits_with_error);
    check("late-crash", "Crashes after its verdict", crashes_after_its_verdict);
    check("ignores-signals", "Ignores all signals", ignores_signals).takes(0.2);
    check("parameter", "Cannot use what it is given", rejects);
    check("unknown", "Gets no answer", cannot_tell);
    check("absent", "Does not find what it reads", finds_nothing);
    check("unreadable", "May not read it", may_not_read);
    for (const bool there : {false, true})
        check(there ? "declared-unreadable" : "declared-absent", "The same, and says what it means", there ? may_not_read : finds_nothing)
            .cause("bad.declared", mover::hardware, "It failed.", "none")
            .on_absent("bad.declared")
            .on_unreadable("bad.declared");
    check("becomes-another", "Becomes another user, and never ends", becomes_another).takes(0.2);
    check("needs-program", "Needs a program that is not there", needs_what_is_not_there)
        .needs("program:no-such-program-here=such-a-package");
    check("prints", "Prints", prints);
    bad::declare_memory(*this);
    bad::declare_processes(*this);
    bad::declare_words(*this);
}
