#include "report/text.hpp"

#include "base/utf8.hpp"
#include "catch.hpp"
#include "report/layout.hpp"
#include "report/test_support.hpp"

namespace report_test {

using namespace diag;
using report::broken;
using report::FailOn;
using report::run;
using report::verdict;
using json = nlohmann::json;

namespace {

const report::TextStyle plain{false, false, false, 80};

}  // namespace

TEST_CASE("a failure tells what was asked, measured and caused, who moves, what next, where the evidence lies, and what was not reached") {
    const auto text = report::whole(run({verdict("a -> b", "pass"), verdict("a -> c", "fail", broken)}, "fail", "failed"), plain);
    for (const char* part : {"a frame does not arrive", "asked     9000 bytes", "size 1500 bytes (at least 9000 bytes)", "site.small",
                             "Smaller than planned", "configuration", "raise the port", "evidence/frames/1/probes.txt",
                             "not reached: later", "failed at frames (exit 2)", "1 of 2 rows"})
        CHECK_THAT(text, ContainsSubstring(part));
}

TEST_CASE("what was not asked for is told as left out, and not as not reached") {
    auto view = run({verdict("a -> b", "pass")}, "pass", "passed");
    view.only = {"frames"};
    const auto text = report::whole(view, plain);
    CHECK_THAT(text, ContainsSubstring("left out by --only: later"));
    CHECK(text.find("not reached") == std::string::npos);
}

TEST_CASE("a healthy run names no cause and does not say failed") {
    const auto text = report::whole(run({verdict("a -> b", "pass")}, "pass", "passed"), plain);
    CHECK_THAT(text, ContainsSubstring("passed"));
    CHECK(text.find("failed") == std::string::npos);
    CHECK(text.find("cause") == std::string::npos);
}

TEST_CASE("a skip is printed with its reason, counted, and is no pass") {
    const auto view = run({verdict("a -> b", "skip", {{"reason", "no name in the site file"}})}, "skip", "passed");
    const auto text = report::whole(view, plain);
    CHECK_THAT(text, ContainsSubstring("skipped: no name in the site file"));
    CHECK_THAT(text, ContainsSubstring("1 check skipped"));
    CHECK(text.find("passed") == std::string::npos);
    CHECK(report::document(view, FailOn::warn)["skipped"] == 1);
}

TEST_CASE("a checkpoint without rows says why, where the plan does") {
    auto view = run({verdict("a -> b", "pass")}, "pass", "passed");
    report::apply(view, {{"event", "checkpoint"}, {"checkpoint", "later"}, {"attempt", 1}});
    report::apply(view, {{"event", "checkpoint-end"}, {"checkpoint", "later"}, {"attempt", 1}, {"outcome", "skip"}});
    CHECK_THAT(report::whole(view, plain), ContainsSubstring("no rows"));
    report::apply(view, {{"event", "checkpoint"}, {"checkpoint", "later"}, {"attempt", 2}, {"no_rows", "no port"}});
    report::apply(view, {{"event", "checkpoint-end"}, {"checkpoint", "later"}, {"attempt", 2}, {"outcome", "skip"}});
    const auto text = report::whole(view, plain);
    CHECK_THAT(text, ContainsSubstring("no port"));
    CHECK(text.find("no rows") == std::string::npos);
}

TEST_CASE("exit codes follow the worst outcome and --fail-on") {
    using host::Outcome;
    CHECK(report::exit_code(Outcome::pass, FailOn::warn) == 0);
    CHECK(report::exit_code(Outcome::skip, FailOn::warn) == 0);
    CHECK(report::exit_code(Outcome::warn, FailOn::warn) == 1);
    CHECK(report::exit_code(Outcome::warn, FailOn::not_run) == 0);
    CHECK(report::exit_code(Outcome::not_run, FailOn::not_run) == 3);
    CHECK(report::exit_code(Outcome::not_run, FailOn::fail) == 0);
    CHECK(report::exit_code(Outcome::fail, FailOn::fail) == 2);
}

TEST_CASE("a paused run exits with 75, an interrupted one never with 0") {
    CHECK(report::exit_code(run({}, "pass", "paused"), FailOn::warn) == 75);
    auto view = run({verdict("", "pass")}, "pass", "running");
    CHECK(report::exit_code(view, FailOn::fail) == 3);
    report::apply(view, {{"event", "interrupted"}, {"signal", 15}});
    CHECK(view.state == "interrupted");
    CHECK(report::exit_code(view, FailOn::warn) == 3);
}

TEST_CASE("a new attempt replaces what the earlier one showed") {
    auto view = run({verdict("a -> b", "fail", broken)}, "fail", "failed");
    report::apply(view, {{"event", "checkpoint"}, {"checkpoint", "frames"}, {"attempt", 2}});
    CHECK(view.checkpoints[0].rows.empty());
    CHECK(view.checkpoints[0].attempt == 2);
    CHECK(view.checkpoints.size() == 2);
}

TEST_CASE("the document has the fields that other tools read") {
    const auto doc = report::document(run({verdict("a -> b", "fail", broken)}, "fail", "failed"), FailOn::warn);
    CHECK(doc["exit"] == 2);
    CHECK(doc["state"] == "failed");
    const auto& check = doc["checkpoints"][0]["rows"][0]["checks"][0];
    CHECK(check["cause"] == "site.small");
    CHECK(check["measurements"][0]["within"] == false);
    CHECK(doc["checkpoints"][1]["outcome"].is_null());
}

TEST_CASE("escapes in a check's text never reach the terminal, in any part of the report") {
    json evil = broken;
    for (const char* key : {"reason", "asked", "meaning", "mover", "next", "cause"}) evil[key] = "x\x1b[2Jy";
    evil["notes"] = json::array({"n\x07"});
    evil["evidence"][0]["path"] = "e\x1b";
    evil["measurements"][0]["name"] = "m\x1b";
    evil["measurements"][0]["unit"] = "u\x1b";
    const auto text = report::whole(run({verdict("r\x1b[0m", "fail", evil)}, "fail", "failed"), plain);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\x07') == std::string::npos);
}

TEST_CASE("text wraps at the width and keeps its indent") {
    report::TextStyle narrow = plain;
    narrow.width = 40;
    CHECK(report::wrapped("   who  ", "one two three four five six seven eight", narrow) ==
          "   who  one two three four five six\n        seven eight\n");
    CHECK(report::padded("abcdefghij", 8) == "abcde...");
    CHECK(base::columns(report::padded("\xc3\xa9t\xc3\xa9", 8)) == 8);
}

}  // namespace report_test
