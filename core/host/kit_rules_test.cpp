// The kit's copy of the rules, by which an author tests without a host, says what the host says.
#include <diag/testing_rules.hpp>

#include <string>
#include <vector>

#include "catch.hpp"
#include "host/judge.hpp"

using namespace diag;

TEST_CASE("an answer counts in an author's test exactly where it counts on the host") {
    const json catalogue = json::parse(R"({"plugin":"mtu","about":"","checks":[{"name":"path","title":"","params":[],
        "causes":[{"code":"mtu.small","mover":"owner","meaning":"It is small.","remedy":""}],"needs":[],"exclusive":false,
        "side_by_side":false,"reusable_while":[],"takes":{"seconds":1,"per":{}}}]})");
    const std::string broken = R"({"event":"measurement","name":"x","value":1,"unit":"s","min":2,"max":null})";
    const auto measured = [](const char* rest) { return R"({"event":"measurement","name":"x","unit":"s",)" + std::string(rest) + "}"; };
    const auto verdict = [](const char* outcome, const char* cause, const char* reason) {
        return json{{"event", "verdict"}, {"outcome", outcome}, {"cause", cause}, {"reason", reason}, {"values", json::object()}}.dump();
    };
    const auto error = [](const char* kind, const char* text) { return json{{"event", "error"}, {"kind", kind}, {"text", text}}.dump(); };
    const std::string passed = verdict("pass", "", "so"), failed = verdict("fail", "mtu.small", "so");
    std::vector<std::vector<std::string>> answers = {{passed}, {failed}, {broken, passed}, {broken, failed}, {}};
    answers.push_back({broken, verdict("skip", "", "so")});
    for (const char* outcome : {"pass", "skip", "warn", "fail"})
        for (const char* cause : {"", "mtu.small", "mtu.other"})
            for (const char* reason : {"", "so"}) answers.push_back({verdict(outcome, cause, reason)});
    for (const char* rest :
         {R"("value":null,"min":null,"max":null)", R"("value":1,"min":"nan","max":null)", R"("value":1,"min":null,"max":"-inf")",
          R"("value":1,"min":2,"max":1)", R"("value":1,"min":1,"max":1)", R"("value":1)"})
        answers.push_back({measured(rest), passed});
    answers.push_back({R"({"event":"measurement","name":"x","value":3,"unit":"ms","min":null,"max":null})", broken, failed});
    for (const char* kind : {"memory", "no-such-check", "companion", "unknown", "parameter", "exception"})
        answers.push_back({error(kind, "so")});
    answers.push_back({error("exception", "diag::Absent: so")});
    answers.push_back({error("exception", "diag::Unreadable: so")});

    const auto check = host::read_catalogue(catalogue.dump()).checks[0];
    for (const auto& lines : answers) {
        std::vector<json> events;
        for (const auto& line : lines) events.push_back(json::parse(line));
        INFO(json(events).dump());
        const auto objection = testing::detail::objection(catalogue, "path", events);
        const auto result = host::judge(check, json::object(), {lines, "", "", {{"how", "exited"}}});
        CHECK((objection ? objection->code : "") == (result.outcome == host::Outcome::not_run ? result.cause : ""));
    }
}
