#include "host/judge.hpp"

#include <csignal>

#include "catch.hpp"

using namespace diag;
using namespace diag::host;

namespace {

const std::string measured = R"({"event":"measurement","name":"mtu","value":1500,"unit":"bytes","min":9000,"max":null})";
const std::string passed = R"({"event":"verdict","outcome":"pass","cause":"","reason":"fine","values":{}})";
const std::string failed =
    R"({"event":"verdict","outcome":"fail","cause":"mtu.small","reason":"too small","values":{"sender":"10.0.0.1"}})";

CheckInfo a_check() {
    CheckInfo check;
    check.plugin = "mtu";
    check.name = "path";
    check.causes = {{"mtu.small", "configuration", "It is too small.", "ip link set {interface} mtu {mtu}  # said {sender}, {unknown}"}};
    return check;
}

json ended(const std::string& how = "exited") {
    return {{"event", "end"}, {"how", how}, {"status", 0}, {"signal", 0}, {"left_running", 0}, {"stuck", json::array()}, {"seconds", 0.5}};
}

Result judged(std::vector<std::string> lines, json end = ended()) {
    return judge(a_check(), {{"interface", "eth0"}, {"mtu", 9000}}, {std::move(lines), "", "", std::move(end)});
}

std::string cause_of(std::vector<std::string> lines, json end = ended()) {
    const Result r = judged(std::move(lines), std::move(end));
    return r.outcome == Outcome::not_run ? r.cause : std::string(to_text(r.outcome));
}

}  // namespace

TEST_CASE("a failure says what was measured, who moves, and the next step with its values") {
    const Result r = judged({measured, failed});
    CHECK(r.outcome == Outcome::fail);
    CHECK(r.cause == "mtu.small");
    CHECK(r.mover == "configuration");
    CHECK(r.reason == "too small");
    CHECK(r.next == "ip link set eth0 mtu 9000  # said 10.0.0.1, <unknown>");
    CHECK(r.seconds == 0.5);
    REQUIRE(r.measurements.size() == 1);
    CHECK_FALSE(r.measurements[0].within);
    CHECK(to_json(r.measurements[0])["max"].is_null());
}

TEST_CASE("limits are judged by the host: at the limit is within, beyond is not") {
    const auto within = [](const char* value, const char* min, const char* max) {
        const Result r = judged({std::string(R"({"event":"measurement","name":"x","unit":"s","value":)") + value + R"(,"min":)" + min +
                                     R"(,"max":)" + max + "}",
                                 failed});
        return r.measurements.at(0).within;
    };
    CHECK(within("5", "5", "5"));
    CHECK(within("5", "null", "null"));
    CHECK_FALSE(within("4.999", "5", "null"));
    CHECK_FALSE(within("5.001", "null", "5"));
    CHECK(cause_of({measured, passed}) == "worker.pass-outside-limit");
    CHECK(cause_of({measured, R"({"event":"verdict","outcome":"warn","cause":"mtu.small","reason":"so"})"}) == "warn");
}

TEST_CASE("a skip beside a broken limit is none, beside a kept one it is") {
    const std::string skipped = R"({"event":"verdict","outcome":"skip","cause":"","reason":"does not apply"})";
    const std::string kept = R"({"event":"measurement","name":"mtu","value":9000,"unit":"bytes","min":9000,"max":null})";
    CHECK(cause_of({measured, skipped}) == "worker.pass-outside-limit");
    CHECK(cause_of({kept, skipped}) == "skip");
    CHECK(cause_of({skipped}) == "skip");
}

TEST_CASE("every verdict says why") {
    for (const char* outcome : {"pass", "skip", "warn", "fail"})
        for (const char* reason : {"", " \\n"}) {
            INFO(outcome);
            const std::string cause = outcome[0] == 'p' || outcome[0] == 's' ? "" : "mtu.small";
            const auto verdict = [&](const std::string& why) {
                return R"({"event":"verdict","outcome":")" + std::string(outcome) + R"(","cause":")" + cause + R"(","reason":")" + why +
                       R"("})";
            };
            CHECK(cause_of({verdict(reason)}) == "worker.reason-missing");
            CHECK(cause_of({verdict("so")}) == outcome);
        }
}

TEST_CASE("a fact that is null or empty is not told, and that is noted beside the pass that hangs on it") {
    CheckInfo check = a_check();
    check.reusable_while = {"gid", "port"};
    const auto notes = [&](const std::string& gid, const std::string& verdict) {
        const std::string told = R"({"event":"fact","name":"port","value":0})";
        return judge(check, {}, {{told, R"({"event":"fact","name":"gid","value":)" + gid + "}", verdict}, "", "", ended()}).notes;
    };
    CHECK(notes("\"0x1\"", passed).empty());
    CHECK(notes("false", passed).empty());
    CHECK(notes("null", failed).empty());
    for (const char* untold : {"null", "\"\""}) {
        REQUIRE(notes(untold, passed).size() == 1);
        CHECK_THAT(notes(untold, passed)[0], ContainsSubstring("it did not tell 'gid'"));
    }
}

TEST_CASE("each way to end decides, whatever the verdict was") {
    for (const auto& [how, cause] : std::vector<std::pair<std::string, std::string>>{{"signal", "worker.signal"},
                                                                                     {"deadline", "worker.deadline"},
                                                                                     {"memory", "worker.memory"},
                                                                                     {"output", "worker.output"},
                                                                                     {"events", "worker.events"},
                                                                                     {"cancelled", "worker.interrupted"},
                                                                                     {"privilege", "worker.privilege"},
                                                                                     {"busy", "machine.busy"},
                                                                                     {"not-started", "worker.not-started"},
                                                                                     {"lost", "worker.lost"},
                                                                                     {"evaporated", "worker.lost"}}) {
        INFO(how);
        const Result r = judged({failed}, ended(how));
        CHECK(r.outcome == Outcome::not_run);
        CHECK(r.cause == cause);
        CHECK_FALSE(r.mover.empty());
        CHECK_FALSE(r.next.empty());
        REQUIRE(r.notes.size() == 1);
        CHECK_THAT(r.notes[0], ContainsSubstring("too small"));
    }
    CHECK(judged({}, ended("evaporated")).notes.empty());
}

TEST_CASE("what was killed from outside did not crash: the next step looks for who did it, and not into the plugin") {
    json end = ended("signal");
    end["signal"] = SIGKILL;
    CHECK_THAT(judged({}, end).next, ContainsSubstring("Out of memory"));
    end["signal"] = SIGSEGV;
    CHECK_THAT(judged({}, end).next, !ContainsSubstring("Out of memory"));
}

TEST_CASE("the command that grants a right comes from the worker that misses it") {
    json end = ended("privilege");
    end["text"] = "it needs fping";
    end["remedy"] = "sudo apt install fping";
    const Result r = judged({}, end);
    CHECK(r.reason == "it needs fping");
    CHECK(r.next == "sudo apt install fping");
}

TEST_CASE("what is no event is junk, and what came beside it is kept") {
    for (const char* line :
         {"", "hello", "[]", "null", "{}", R"({"event":1})", R"({"event":"party"})", R"({"event":"evidence","name":"x"})",
          R"({"event":"fact","name":"x"})", R"({"event":"saw","text":7})", R"({"event":"measurement","value":1})", "{\"event\":\"sa"}) {
        INFO(line);
        const Result r = judged({measured, line, failed});
        CHECK(r.cause == "worker.junk");
        CHECK(r.measurements.size() == 1);
    }
    CHECK(cause_of({passed, passed}) == "worker.junk");
    CHECK(cause_of({R"({"event":"progress","text":"..."})", R"({"event":"asked","text":"?"})",
                    R"({"event":"fact","name":"x","value":null})", passed}) == "pass");
}

TEST_CASE("a verdict must be one") {
    CHECK(cause_of({}) == "worker.no-verdict");
    json end = ended();
    end["status"] = 3;
    CHECK(cause_of({}, end) == "worker.exit");
    for (const char* verdict :
         {R"({"event":"verdict"})", R"({"event":"verdict","outcome":"pass","reason":""})",
          R"({"event":"verdict","outcome":7,"cause":"","reason":""})", R"({"event":"verdict","outcome":"maybe","cause":"","reason":""})",
          R"({"event":"verdict","outcome":"not_run","cause":"","reason":""})",
          R"({"event":"verdict","outcome":"pass","cause":"","reason":"","values":[]})"})
        CHECK(cause_of({verdict}) == "worker.junk");
    CHECK(cause_of({R"({"event":"verdict","outcome":"fail","cause":"","reason":""})"}) == "worker.cause-missing");
    CHECK(cause_of({R"({"event":"verdict","outcome":"warn","cause":"mtu.smal","reason":""})"}) == "worker.undeclared-cause");
    CHECK(judged({R"({"event":"verdict","outcome":"pass","cause":"mtu.small","reason":"so"})"}).notes.size() == 1);
}

TEST_CASE("what a check throws is told by its kind") {
    CHECK(cause_of({R"({"event":"error","kind":"memory","text":"no more"})"}) == "worker.memory");
    CHECK(cause_of({R"({"event":"error","kind":"exception","text":"oops"})"}) == "worker.exception");
    CHECK(cause_of({R"({"event":"error","kind":"exception","text":"diag::Unreadable: /etc/adjtime: Permission denied"})"}) ==
          "worker.unreadable");
    CHECK(cause_of({R"({"event":"error","kind":"exception","text":"diag::Absent: no interface eth0"})"}) == "worker.unreadable");
    CHECK(cause_of({R"({"event":"error","kind":"no-such-check","text":"gone"})"}) == "worker.load");
    CHECK(cause_of({R"({"event":"load-error","code":"plugin.newer","text":"2"})"}) == "worker.load");
    CHECK(judged({R"({"event":"error","kind":"exception","text":"oops"})"}).reason == "oops");
    CHECK(cause_of({R"({"event":"error","kind":"parameter","text":"count: 1 to 1000"})"}) == "worker.parameter");
    CHECK(cause_of({R"({"event":"error","kind":"unknown","text":"it said UNKNOWN"})"}) == "worker.unknown");
}

TEST_CASE("a measurement is a finite number with one unit and limits that can hold") {
    const auto with = [](const std::string& rest) { return std::string(R"({"event":"measurement","name":"x","unit":"s",)") + rest + "}"; };
    for (const char* rest : {R"("value":null)", R"("value":"fast")", R"("min":1)", R"("value":1,"min":"low")",
                             R"("value":1,"min":2,"max":1)", R"("value":1,"min":"nan")", R"("value":1,"max":"inf")"}) {
        INFO(rest);
        CHECK(cause_of({with(rest), passed}) == "worker.measurement");
    }
    CHECK(cause_of({with(R"("value":1)"), R"({"event":"measurement","name":"x","unit":"ms","value":1})", passed}) == "worker.measurement");
    CHECK(cause_of({with(R"("value":1)"), with(R"("value":2)"), passed}) == "pass");
    CHECK(cause_of({with(R"("value":1e999)"), passed}) == "worker.junk");
}

TEST_CASE("what stays behind spoils a pass, and is noted beside a fail") {
    json left = ended(), stuck = ended(), hung = ended("deadline");
    left["left_running"] = 2;
    stuck["stuck"] =
        hung["stuck"] = {{{"pid", 7}, {"name", "mount"}, {"wchan", "rpc_wait_bit_killable"}, {"stack", "nfs"}, {"status", "State: D"}}};
    CHECK(cause_of({passed}, left) == "worker.left-running");
    CHECK(cause_of({passed}, stuck) == "worker.stuck");
    CHECK(cause_of({}, hung) == "worker.stuck");
    CHECK(cause_of({R"({"event":"verdict","outcome":7})"}, hung) == "worker.stuck");
    const Result r = judged({failed}, stuck);
    CHECK(r.cause == "mtu.small");
    CHECK(r.notes.size() == 1);
    REQUIRE(r.evidence.size() == 1);
    CHECK_THAT(r.evidence[0].text, ContainsSubstring("rpc_wait_bit_killable"));
}

TEST_CASE("output becomes evidence, repaired where it is no text, and absent where there was none") {
    const Result r = judge(a_check(), {}, {{passed}, "out", "\xff", ended()});
    REQUIRE(r.evidence.size() == 2);
    CHECK(r.evidence[0].name == "stdout");
    CHECK(r.evidence[1].text == "\xef\xbf\xbd");
    CHECK(r.notes.size() == 1);
    CHECK(judged({passed}).evidence.empty());
}
