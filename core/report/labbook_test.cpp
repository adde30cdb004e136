#include "report/labbook.hpp"

#include "catch.hpp"

namespace labbook_test {

using namespace diag;
using namespace diag::report;

namespace {

const json table = json::parse(R"({"link.bulk":{"record":"link","to_peer":"param.name","interface":"param.interface",
    "forward":{"sent_bits_per_second":"measured.forward_sent","retransmits":"measured.forward_retransmits"}}})");

RunView run(const json& more = json::object()) {
    RunView view;
    report::apply(view, {{"event", "run"}, {"machine", "node-a"}, {"lab", true}, {"runbook", {{"name", "bringup"}}}});
    report::apply(view, {{"event", "checkpoint"}, {"checkpoint", "bulk"}, {"attempt", 1}});
    json verdict = {{"event", "verdict"},
                    {"checkpoint", "bulk"},
                    {"row", "direct"},
                    {"id", "b"},
                    {"check", "link.bulk"},
                    {"outcome", "fail"},
                    {"cause", "link.slow"},
                    {"time", "2026-11-30T06:15:00.123Z"},
                    {"params", {{"name", "node-b"}}},
                    {"measurements", {{{"name", "forward_sent"}, {"value", 3899999999.7}, {"unit", "bit/s"}}}}};
    verdict.update(more);
    report::apply(view, verdict);
    return view;
}

}  // namespace

TEST_CASE("a verdict becomes a dated line with the notebook's keys; what was not measured is null, not zero") {
    const auto lines = labbook_lines(run(), table);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0] == json::parse(R"({"record":"link","to_peer":"node-b","interface":null,"lab":"diag/bringup","real":false,
        "forward":{"sent_bits_per_second":3900000000,"retransmits":null},"date":"2026-11-30","recorded_at":"2026-11-30T06:15:00+00:00",
        "from_machine":"node-a","row":"direct","outcome":"fail","cause":"link.slow"})"));
}

TEST_CASE("a site file that gives addresses only still says to whom a line leads") {
    json either = table;
    either["link.bulk"]["to_peer"] = {"param.name", "param.address"};
    CHECK(labbook_lines(run(), either).at(0)["to_peer"] == "node-b");
    CHECK(labbook_lines(run({{"params", {{"address", "10.10.0.12"}}}}), either).at(0)["to_peer"] == "10.10.0.12");
    CHECK(labbook_lines(run({{"params", json::object()}}), either).at(0)["to_peer"].is_null());
}

TEST_CASE("a line begins at the machine that the check ran on, which need not be the one that asked") {
    RunView view;
    report::apply(view, {{"event", "run"}, {"machine", "node-a"}, {"runbook", {{"name", "bringup"}}}});
    report::apply(view, {{"event", "checkpoint"}, {"checkpoint", "bulk"}, {"attempt", 1}});
    json event = {{"event", "check"}, {"checkpoint", "bulk"}, {"row", "direct: node-b -> node-a"},
                  {"id", "b"},        {"check", "link.bulk"}, {"machine", "node-b"}};
    report::apply(view, event);
    event.update({{"event", "verdict"}, {"outcome", "pass"}, {"time", "2026-11-30T06:15:00.123Z"}});
    event.erase("machine");
    report::apply(view, event);
    REQUIRE(labbook_lines(view, table).size() == 1);
    CHECK(labbook_lines(view, table)[0]["from_machine"] == "node-b");
}

TEST_CASE("a notebook's line is written as its readers search for it, and what stands inside a string stays as it is") {
    CHECK(labbook_text({{"record", "link"}, {"note", "a:b,\"c\\\\\":\xc3\xa9"}, {"list", {1, 2}}}) ==
          R"({"list": [1, 2], "note": "a:b,\"c\\\\\":\u00e9", "record": "link"})");
}

TEST_CASE("what was reused, skipped, or is another check is no new line") {
    CHECK(labbook_lines(run({{"outcome", "skip"}}), table).empty());
    CHECK(labbook_lines(run({{"outcome", "pass"}, {"reused", {{"attempt", 1}}}}), table).empty());
    CHECK(labbook_lines(run({{"check", "link.state"}}), table).empty());
}

}  // namespace labbook_test
