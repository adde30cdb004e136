#include "report/junit.hpp"

#include "catch.hpp"
#include "report/test_support.hpp"
#include "report/xml.hpp"

namespace junit_test {

using namespace diag;
using json = nlohmann::json;
using report::broken;
using report::junit;
using report::run;
using report::verdict;
using report::xml_escaped;

TEST_CASE("text becomes character data that every XML 1.0 parser takes") {
    CHECK(xml_escaped("a<b>&\"c\"'d'") == "a&lt;b&gt;&amp;&quot;c&quot;&apos;d&apos;");
    CHECK(xml_escaped("tab\tline\nreturn\r") == "tab\tline\nreturn&#13;");
    CHECK(xml_escaped(std::string("\0\x01\x1b", 3)) == "\uFFFD\uFFFD\uFFFD");
    CHECK(xml_escaped("\uFFFE\uFFFFx\uFFFD") == "\uFFFD\uFFFDx\uFFFD");
    CHECK(xml_escaped("ok \xff\xc3") == "ok \uFFFD\uFFFD");
    CHECK(xml_escaped("\xed\xa0\x80") == "\uFFFD\uFFFD\uFFFD");  // a surrogate
    CHECK(xml_escaped("]]> é 𝄞") == "]]&gt; é 𝄞");
}

TEST_CASE("a failure is a failure with its cause, and what was not reached is skipped, not passed") {
    const auto text = junit(run({verdict("a -> b", "pass"), verdict("a -> c", "fail", broken)}, "fail", "failed"));
    for (const char* part :
         {R"(<testsuites name="bringup" tests="3" failures="1" errors="0" skipped="1")",
          R"(<testsuite name="frames" tests="2" failures="1")", R"(<testcase classname="bringup.frames" name="site.probe [a -&gt; c]")",
          R"(<failure message="a frame does not arrive" type="site.small">)", "asked     9000 bytes",
          "size 1500 bytes (at least 9000 bytes)", "raise the port", R"(<testcase classname="bringup.later" name="Later">)",
          R"(<skipped message="not reached"/>)"})
        CHECK_THAT(text, ContainsSubstring(part));
}

TEST_CASE("a check that did not run is an error, a skip is skipped with its reason") {
    const auto text = junit(run({verdict("a", "not_run", {{"reason", "it crashed"}, {"cause", "worker.signal"}}),
                                 verdict("b", "skip", {{"reason", "no name in the site file"}})},
                                "not_run", "unknown"));
    CHECK_THAT(text, ContainsSubstring(R"(<error message="it crashed" type="worker.signal">)"));
    CHECK_THAT(text, ContainsSubstring(R"(<skipped message="no name in the site file"/>)"));
    CHECK_THAT(text, ContainsSubstring(R"(tests="2" failures="0" errors="1" skipped="1")"));
}

TEST_CASE("a warning passes and says so; a pass does not say it") {
    const auto warned = junit(run({verdict("a", "warn", {{"reason", "it is late"}, {"cause", "site.late"}})}, "warn", "passed"));
    CHECK_THAT(warned, ContainsSubstring("<system-out>WARNING\n"));
    CHECK_THAT(warned, ContainsSubstring("it is late"));
    CHECK_THAT(warned, ContainsSubstring("site.late"));
    CHECK(junit(run({verdict("a", "pass")}, "pass", "passed")).find("WARNING") == std::string::npos);
}

TEST_CASE("an interrupted run is never green, and a check in its middle is an error") {
    auto view = run({verdict("a", "pass")}, "pass", "passed");
    CHECK(junit(view).find("<error") == std::string::npos);
    report::apply(view, {{"event", "interrupted"}, {"signal", 15}});
    CHECK_THAT(junit(view), ContainsSubstring(R"(<error message="interrupted by signal 15"/>)"));
    report::apply(view, {{"event", "check"}, {"checkpoint", "frames"}, {"row", "b"}, {"check", "site.probe"}, {"id", "site.probe"}});
    CHECK_THAT(junit(view), ContainsSubstring(R"(<error message="no verdict: the run is interrupted"/>)"));
}

TEST_CASE("a paused run says what the owner has to do") {
    auto view = run({verdict("a", "pass")}, "pass", "passed");
    report::apply(view, {{"event", "pause"}, {"checkpoint", "later"}, {"owner", json::array({"Enable SR-IOV."})}, {"reboot", true}});
    report::apply(view, {{"event", "run-end"}, {"state", "paused"}});
    CHECK_THAT(junit(view), ContainsSubstring("the owner has to move; Enable SR-IOV.; reboot this machine"));
}

TEST_CASE("a lab is told in every place that a reader shows") {
    auto view = run({verdict("a", "pass")}, "pass", "passed");
    CHECK(junit(view).find("LAB") == std::string::npos);
    view.lab = true;
    CHECK_THAT(junit(view), ContainsSubstring("bringup (LAB, not a real network)"));
    CHECK_THAT(junit(view), ContainsSubstring("classname=\"lab.bringup.frames\""));
}

TEST_CASE("a pass that counts again says how old it is, and a resumed run what changed") {
    auto view = run({verdict("a", "pass", {{"reused", {{"age", 90.0}}}})}, "pass", "passed");
    view.changed = {"the site file"};
    CHECK_THAT(junit(view), ContainsSubstring("reused: measured 90 s ago"));
    CHECK_THAT(junit(view), ContainsSubstring(R"(<property name="changed" value="the site file"/>)"));
    CHECK(junit(run({verdict("a", "pass")}, "pass", "passed")).find("reused") == std::string::npos);
}

TEST_CASE("host and time stand where the record has them, and only there") {
    auto view = run({verdict("a", "pass")}, "pass", "passed");
    CHECK(junit(view).find("hostname") == std::string::npos);
    CHECK(junit(view).find("timestamp") == std::string::npos);
    view.run["host"] = "node-a";
    view.checkpoints[0].time = "2026-11-30T06:15:00.123456Z";
    CHECK_THAT(junit(view), ContainsSubstring(R"(timestamp="2026-11-30T06:15:00" hostname="node-a")"));
}

TEST_CASE("what a check says can neither leave its place in the document nor move a terminal") {
    json evil = broken;
    for (const char* key : {"reason", "asked", "meaning", "next", "cause"}) evil[key] = "</failure>\"\x1b[2J\u009b\n<x/>";
    const auto text = junit(run({verdict("r\"><y/>", "fail", evil)}, "fail", "failed"));
    for (const char* raw : {"\x1b", "\u009b", "<x/>", "<y/>"}) CHECK(text.find(raw) == std::string::npos);
    CHECK(text.find("</failure>") == text.rfind("</failure>"));
}

}  // namespace junit_test
