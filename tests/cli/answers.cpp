// Checks that answer what they are told to, for the tests of the command line.
#include <diag/plugin.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

using namespace diag;

static Verdict meet(Context& c) {
    const std::filesystem::path folder = c.text("folder");
    std::ofstream(folder / ("met-" + std::to_string(::getpid()))) << "here";
    const auto met = [&] {
        const std::filesystem::directory_iterator all(folder);
        return std::count_if(begin(all), end(all), [](const auto& e) { return e.path().filename().string().starts_with("met-"); });
    };
    c.progress("waits for the others");
    for (const auto until = std::chrono::steady_clock::now() + c.duration("patience"); met() < c.integer("count");) {
        if (std::chrono::steady_clock::now() > until) return fail("answers.alone", "nobody else came");
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return pass("all are here");
}

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
        .column("Size", "measured.size")
        .column("Place", "param.where")
        .param("where", type::text, "anything", "here");
    check("warn", "It warns", [](Context&) {
        return warn("answers.odd", "it is odd");
    }).cause("answers.odd", mover::owner, "Odd.", "look at it");
    check("skip", "It does not apply", [](Context&) { return skip("no such thing here"); }).column("Gap", "measured.gap");
    check("sleep", "It takes its time",
          [](Context& c) {
              c.evidence("begun", "yes");
              std::this_thread::sleep_for(c.duration("time"));
              return pass("slept");
          })
        .param("time", type::duration, "how long", "1s")
        .takes_per("time", 1);
    check("meet", "It passes where others of its kind are there at the same time", meet)
        .param("folder", type::text, "where each leaves a file")
        .param("count", type::integer, "how many")
        .param("patience", type::duration, "how long it waits", "10s")
        .takes_per("patience", 1)
        .cause("answers.alone", mover::software, "Nobody else came.", "nothing")
        .side_by_side();
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
    check("costly", "Its pass may be reused",
          [](Context& c) {
              std::ofstream(c.text("ran"), std::ios::app) << "x";  // how often it ran
              c.evidence("raw", "measured\n");
              c.measure("rate", 1e9, unit::bit_per_s, at_least(1));
              return pass("measured");
          })
        .param("ran", type::text, "a file that gets a letter for each time it runs")
        .param("fact", type::text, "a file whose content it relies on")
        .reusable_while({"port"}, [](Context& c) {
            std::ifstream file(c.text("fact"));
            std::string port;
            if (!std::getline(file, port)) throw Absent("no fact");
            c.fact("port", port);
        });
    check("content", "A file holds what it should",
          [](Context& c) {
              std::ifstream file(c.text("file"));
              std::string text;
              std::getline(file, text);
              c.evidence("content", text + "\n");
              return text == "good" ? pass("good") : fail("answers.content", "it holds '{}'", text);
          })
        .cause("answers.content", mover::configuration, "The file holds something else.", "write good into {file}")
        .param("file", type::text, "the file");
    check("named", "It needs a name", [](Context& c) { return pass("named {}", c.text("name")); }).param("name", type::text, "a name");
    check("maybe", "It is skipped without a name", [](Context& c) {
        return pass("named {}", c.text("name"));
    }).param_or_skip("name", type::text, "a name");
}
