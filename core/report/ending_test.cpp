#include "catch.hpp"
#include "report/test_support.hpp"
#include "report/text.hpp"

namespace ending_test {

using namespace diag;
using report::broken;
using report::run;
using report::verdict;
using json = nlohmann::json;

namespace {

const report::TextStyle plain{false, false, false, 80};

const json late = {{"cause", "worker.deadline"}, {"reason", "it took too long"}, {"meaning", "Too slow."}};

// One more checkpoint after `frames`, where the run goes on after a failure.
void add(report::RunView& view, const std::string& id, const std::string& row, const std::string& outcome, json more) {
    report::apply(view, {{"event", "checkpoint"}, {"checkpoint", id}, {"attempt", 1}});
    more["checkpoint"] = id;
    report::apply(view, verdict(row, outcome, more));
    report::apply(view, {{"event", "checkpoint-end"}, {"checkpoint", id}, {"attempt", 1}, {"outcome", outcome}});
    report::apply(view, {{"event", "run-end"}, {"state", "failed"}});
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

}  // namespace

TEST_CASE("each of several explanations says of which checkpoint, row and check it is") {
    auto view = run({verdict("a -> b", "fail", broken)}, "fail", "failed");
    json other = broken;
    other["id"] = "site.other";
    add(view, "later", "a -> c", "fail", other);
    const auto text = report::ending(view, plain);
    CHECK_THAT(text, ContainsSubstring("\n x frames - a -> b - site.probe\n   a frame does not arrive\n"));
    CHECK_THAT(text, ContainsSubstring("\n x later - a -> c - site.other\n   a frame does not arrive\n"));
    CHECK_THAT(text, ContainsSubstring("failed at frames, later (exit 2)"));
}

TEST_CASE("where nothing could be told is not told as a failure, and the other way round") {
    auto view = run({verdict("a -> b", "fail", broken)}, "fail", "failed");
    add(view, "later", "", "not_run", late);
    const auto text = report::ending(view, plain);
    CHECK_THAT(text, ContainsSubstring("failed at frames; could not tell at later (exit 2)"));
    CHECK_THAT(text, ContainsSubstring("\n ? later - site.probe\n   it took too long\n"));
    CHECK_THAT(report::ending(run({verdict("", "not_run", late)}, "not_run", "unknown"), plain),
               ContainsSubstring("\ncould not tell at frames (exit 3)"));
}

TEST_CASE("a row that stopped at another check than the explained one names it") {
    json other = late;
    other["id"] = "site.other";
    const auto text = report::ending(
        run({verdict("a", "fail", broken), verdict("b", "not_run", other), verdict("c", "fail", broken)}, "fail", "failed"), plain);
    CHECK_THAT(text, ContainsSubstring("also      b, site.other: it took too long [worker.deadline]"));
    CHECK_THAT(text, ContainsSubstring("also      c: a frame does not arrive"));
}

TEST_CASE("--verbose tells every check below its row") {
    auto every = plain;
    every.verbose = true;
    const auto view = run({verdict("a -> b", "pass"), verdict("a -> c", "pass")}, "pass", "passed");
    CHECK_THAT(report::whole(view, every),
               ContainsSubstring("     a -> b\n     + site.probe       it is so\n     a -> c\n     + site.probe"));
    CHECK(count(report::whole(view, plain), "a -> b") == 0);
    const auto single = report::whole(run({verdict("", "pass")}, "pass", "passed"), every);
    CHECK_THAT(single, ContainsSubstring("s\n     + site.probe       it is so\n"));
}

TEST_CASE("a run that is still going on says where it is and by which process, and not to resume it") {
    auto view = run({verdict("a -> b", "fail", broken)}, "fail", "running");
    view.record = "bringup-1";
    view.process = 4711;
    const auto text = report::ending(view, plain);
    CHECK_THAT(text, ContainsSubstring("running, by process 4711; failed at frames"));
    CHECK_THAT(text, ContainsSubstring("still to come: later"));
    CHECK(text.find("diag resume") == std::string::npos);
    report::apply(view, {{"event", "interrupted"}, {"signal", 15}});
    CHECK_THAT(report::ending(view, plain), ContainsSubstring("Then: diag resume") && ContainsSubstring("not reached: later"));
}

}  // namespace ending_test
