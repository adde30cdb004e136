// Checks that answer what they are told to, for the tests of the command line.
#include <diag/plugin.hpp>

#include <thread>

using namespace diag;

DIAG_PLUGIN("answers") {
    about("Answers what it is told to.");
    check("pass", "It passes", [](Context& c) {
        return pass("it holds on {}", c.text("where"));
    }).param("where", type::text, "anything", "here");
    check("fail", "It fails",
          [](Context& c) {
              c.asked("the size of a thing");
              c.measure("size", 1500, unit::bytes, at_least(9000));
              c.evidence("probes", "sent 3\nreceived 0\n");
              return fail("answers.small", "a frame does not arrive").with("port", "swp1");
          })
        .cause("answers.small", mover::configuration, "Smaller than planned.", "raise {port} of {where}")
        .param("where", type::text, "anything", "here");
    check("warn", "It warns", [](Context&) {
        return warn("answers.odd", "it is odd");
    }).cause("answers.odd", mover::owner, "Odd.", "look at it");
    check("skip", "It does not apply", [](Context&) { return skip("no such thing here"); });
    check("sleep", "It takes its time",
          [](Context& c) {
              c.evidence("begun", "yes");
              std::this_thread::sleep_for(c.duration("time"));
              return pass("slept");
          })
        .param("time", type::duration, "how long", "1s")
        .takes_per("time", 1);
    check("late", "It takes longer than it says", [](Context&) {
        std::this_thread::sleep_for(std::chrono::minutes(1));
        return pass("too late");
    }).takes(0.1);
    check("escapes", "It says what a terminal would obey", [](Context&) {
        return fail("answers.evil", "red \x1b[31m and \x07 bell");
    }).cause("answers.evil", mover::software, "Evil.", "nothing");
    check("kept", "It keeps evidence of a size", [](Context& c) {
        c.evidence("bulk", std::string(static_cast<std::size_t>(c.bytes("size")), 'x'));
        return pass("kept");
    }).param("size", type::bytes, "how much", "1KB");
    check("named", "It needs a name", [](Context& c) { return pass("named {}", c.text("name")); }).param("name", type::text, "a name");
    check("maybe", "It is skipped without a name", [](Context& c) {
        return pass("named {}", c.text("name"));
    }).param_or_skip("name", type::text, "a name");
}
