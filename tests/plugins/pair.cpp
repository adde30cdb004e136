// A plugin with checks in two halves, of which each does what it is told: what is right, and what goes wrong.
#include <diag/plugin.hpp>

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

using namespace diag;
using namespace std::chrono_literals;

namespace {

// Everything that a half can do that is not its work; returns where there is nothing of the kind to do.
__attribute__((no_sanitize("address", "undefined"))) void misbehave(const std::string& how) {
    if (how == "crash") {
        volatile int* nowhere = nullptr;
        *nowhere = 1;
    }
    if (how == "throw") throw std::runtime_error("thrown");
    if (how == "exit") ::_exit(0);
    if (how == "sleep") ::sleep(60);
    if (how == "sleepers")
        for (int i = 0; i < 20; ++i)
            if (::fork() == 0) {
                ::setsid();
                ::sleep(60);
                ::_exit(0);
            }
}

// Serves a sum until the other half has no more numbers.
Verdict serve(Context& c) {
    const std::string how = c.text("there");
    c.measure("numbers", 2, unit::count);
    c.evidence("kept", "by the half there");
    c.fact("where", c.machine());
    misbehave(how);
    if (how == "fail") return fail("pair.broken", "this end is broken");
    if (how == "warn") return warn("pair.worn", "this end is worn");
    for (double sum = 0;;) {
        const json number = c.hear(5s);
        if (how == "crash-later") misbehave("crash");
        c.tell(json{{"sum", sum += number.get<double>()}, {"from", c.machine()}, {"companion", c.companion()}});
        if (how == "sleepers-later") misbehave("sleepers");
    }
}

Verdict ask(Context& c) {
    c.measure("numbers", 2, unit::count);
    c.evidence("kept", "by the half here");
    c.fact("where", c.machine());
    misbehave(c.text("here"));
    json answer;
    for (const double number : {1.0, 2.0}) {
        c.tell(number);
        answer = c.hear(2s);
    }
    if (c.text("here") == "fail") return fail("pair.broken", "this end is broken");
    return pass("{} says {}, to {}", answer["from"].get<std::string>(), answer["sum"].get<double>(),
                answer["companion"].get<std::string>());
}

Verdict ask_if_there_is_one(Context& c) { return c.companion().empty() ? pass("alone") : ask(c); }

Check& declared(Check& check) {
    return check.param("here", type::text, "what the half here does", "work")
        .param("there", type::text, "what the half there does", "work")
        .takes(5)
        .cause("pair.broken", mover::hardware, "An end is broken.", "replace it")
        .cause("pair.worn", mover::hardware, "An end is worn.", "replace it soon");
}

}  // namespace

DIAG_PLUGIN("pair") {
    declared(check("sum", "The two ends add up", ask)).there(serve);
    declared(check("loads", "The two ends add up, one such check at a time on each", ask)).exclusive().there(serve);
    declared(check("can-do-alone", "The two ends add up, where there are two", ask_if_there_is_one)).there_if_it_can(serve);
}
