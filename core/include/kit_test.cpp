// A plugin as an author writes it, asked the way a test asks it.
#include <diag/plugin.hpp>
#include <diag/testing.hpp>

#include <chrono>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"

using namespace diag;

namespace {

Verdict size(Context& c) {
    if (c.given("gone")) throw Absent("no such interface: " + c.text("gone"));
    c.asked("the size");
    const double value = c.number("value");
    if (!c.measure("size", value, unit::bytes, exactly(static_cast<double>(c.bytes("size")))))
        return fail("kit.size-differs", "{} instead of {}", value, c.bytes("size")).with("sender", "10.0.0.1");
    c.evidence("raw", "line\n");
    return pass("{} bytes", value);
}

Verdict says(Context& c) {
    const std::string what = c.text("what");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (what == "pass beside a broken limit" || what == "skip beside a broken limit") c.measure("x", 1, unit::count, at_least(2));
    if (what == "skip beside a broken limit") return skip("no matter");
    if (what == "undeclared") return fail("kit.surprise", "so");
    if (what == "no cause") return warn("", "so");
    if (what == "no reason") return pass(" ");
    if (what == "NaN") c.measure("x", nan, unit::count);
    if (what == "a limit that is NaN") c.measure("x", 1, unit::count, exactly(nan));
    if (what == "two units") c.measure("x", 1, unit::count), c.measure("x", 1, unit::seconds);
    return pass("so");
}

}  // namespace

DIAG_PLUGIN("kit") {
    about("What the tests of the kit need.");
    check("size", "The size is the planned one", size)
        .param("value", type::number, "what was found")
        .param("size", type::bytes, "what was planned", "9KB")
        .optional("gone", type::text, "an interface that is not there")
        .cause("kit.size-differs", mover::configuration, "It differs.", "set it to {size}")
        .cause("kit.absent", mover::owner, "It is not there.", "plug it in")
        .on_absent("kit.absent")
        .column("Size", "measured.size")
        .takes(2)
        .takes_per("value", 0.5);
    look([](Look& l) {
        l.see("interface", "eth0", {{"carrier", "up", {}}, {"speed", "200G", 200000000000, {"link.speed", "200Gbit"}}, {"driver", "", {}}});
        l.wrong("kit.absent", "eth1 is not there");
    });
    check("throws", "It throws",
          [](Context& c) -> Verdict {
              if (c.boolean("int")) throw 1;
              if (c.boolean("value")) throw BadValue("expected 1 to 20");
              if (c.boolean("unknown")) throw Unknown("it said nothing");
              throw Unreadable("cannot read");
          })
        .param("int", type::boolean, "throw an int", false)
        .param("value", type::boolean, "complain of a value", false)
        .param("unknown", type::boolean, "have no answer", false);
    check("says", "It says what a check must not say", says)
        .param("what", type::text, "which of it")
        .param("count", type::integer, "not used", 1)
        .within(1, 20)
        .cause("kit.absent", mover::owner, "It is not there.", "plug it in");
}

namespace {
testing::Answer ask(const char* check, json params = json::object()) { return testing::ask(*diag_plugin_v1(), check, std::move(params)); }
}  // namespace

TEST_CASE("the exported struct says what it is before anything else") {
    const auto* abi = diag_plugin_v1();
    CHECK(std::strcmp(abi->magic, DIAG_ABI_MAGIC) == 0);
    CHECK(abi->version == DIAG_ABI_VERSION);
    CHECK(abi->size == sizeof(diag_abi));
}

TEST_CASE("the catalogue carries the whole declaration, defaults as a check receives them") {
    const json catalogue = json::parse(diag_plugin_v1()->describe());
    CHECK(catalogue["plugin"] == "kit");
    const json& check = catalogue["checks"][0];
    CHECK(check["columns"] == json::parse(R"([{"title":"Size","from":"measured.size"}])"));
    CHECK(check["params"][1] ==
          json{{"name", "size"}, {"type", "bytes"}, {"help", "what was planned"}, {"when_missing", "default"}, {"default", 9000}});
    CHECK(check["params"][2]["when_missing"] == "optional");
    CHECK(check["causes"][0]["mover"] == "configuration");
    CHECK(check["takes"]["per"]["value"] == 0.5);
}

TEST_CASE("a measurement inside its limit passes, its neighbour outside fails with the declared cause") {
    CHECK(ask("size", {{"value", 9000}}).outcome() == "pass");
    const auto answer = ask("size", {{"value", 8999}});
    CHECK(answer.outcome() == "fail");
    CHECK(answer.cause() == "kit.size-differs");
    CHECK(answer.measured("size") == 8999);
    CHECK(answer.verdict["values"]["sender"] == "10.0.0.1");
}

TEST_CASE("what is absent becomes the declared cause; what nobody declared becomes an error, not a verdict") {
    CHECK(ask("size", {{"value", 1}, {"gone", "eth9"}}).cause() == "kit.absent");
    const auto unreadable = ask("throws");
    CHECK(unreadable.outcome() == "not_run");
    CHECK(unreadable.cause() == "worker.unreadable");
    CHECK_THAT(unreadable.reason(), ContainsSubstring("cannot read"));
    CHECK(ask("throws", {{"int", true}}).error["kind"] == "exception");
    CHECK(ask("throws", {{"value", true}}).error["kind"] == "parameter");
    CHECK(ask("throws", {{"unknown", true}}).error["kind"] == "unknown");
}

TEST_CASE("a parameter that has no value is an error with its name, not a zero") {
    CHECK_THAT(ask("size").reason(), ContainsSubstring("'value'"));
    CHECK(ask("nothing").error["kind"] == "no-such-check");
}

TEST_CASE("a parameter that is read as another type is an error with its name, not another value") {
    const json params = {{"count", 3}, {"free", 0.8}, {"wait", 5.0}, {"to", {"a"}}};
    const Context untyped({{"params", params}}, -1);
    CHECK(untyped.integer("count") == 3);
    CHECK(untyped.number("count") == 3);
    CHECK_THROWS_WITH(untyped.text("count"), "parameter 'count' was read as text, and is 3");
    CHECK_THROWS_WITH(untyped.integer("free"), "parameter 'free' was read as integer, and is 0.8");
    CHECK_THROWS_WITH(untyped.bytes("free"), "parameter 'free' was read as bytes, and is 0.8");
    CHECK_THROWS_AS(untyped.rate("free"), std::logic_error);

    const json declared = json::parse(R"([{"name":"count","type":"integer"},{"name":"free","type":"fraction"},
                                          {"name":"wait","type":"duration"},{"name":"to","type":"list"}])");
    const Context typed({{"params", params}}, -1, declared);
    CHECK(typed.integer("count") == 3);
    CHECK(typed.fraction("free") == 0.8);
    CHECK(typed.duration("wait") == std::chrono::seconds(5));
    CHECK(typed.list("to") == std::vector<std::string>{"a"});
    CHECK_THROWS_WITH(typed.integer("wait"), "parameter 'wait' was read as integer, and is declared as duration");
    CHECK_THROWS_WITH(typed.number("free"), "parameter 'free' was read as number, and is declared as fraction");
    CHECK_THROWS_WITH(typed.bytes("count"), "parameter 'count' was read as bytes, and is declared as integer");
    CHECK_THROWS_WITH(typed.text("from"), "parameter 'from' was read, but it is not declared");
}

TEST_CASE("a default that no runbook could hold says whose it is") {
    const auto with = [](ParamType type, const json& fallback) { return Check("size", "", size).param("n", type, "", fallback).entry(); };
    CHECK(with(type::duration, "5s")["params"][0]["default"] == 5.0);
    CHECK(with(type::duration, 0)["params"][0]["default"] == 0.0);
    CHECK(with(type::bytes, 5)["params"][0]["default"] == 5);
    CHECK_THROWS_WITH(with(type::duration, 5),
                      "check 'size': parameter 'n': its default, 5: expected a duration such as 20s, 500ms, 2m or 1h");
    CHECK_THROWS_WITH(with(type::duration, "5 s"),
                      "check 'size': parameter 'n': its default, \"5 s\": expected a duration such as 20s, 500ms, 2m or 1h");
    CHECK_THROWS_WITH(with(type::rate, 5),
                      "check 'size': parameter 'n': its default, 5: expected a rate such as 25Gbit, 2.5Gbit or 100Mbit");
}

TEST_CASE("evidence is cut only where it is too long, between characters, with a mark") {
    using diag::detail::cut_evidence;
    CHECK(cut_evidence("abcd", 6) == "abcd");  // with its quotes
    CHECK(cut_evidence("abcde", 6) == "abcd\n... cut: 4 of 5 bytes kept\n");
    CHECK(cut_evidence("\x01\n", 10) == "\x01\n");
    CHECK(cut_evidence("\x01\n", 9) == "\x01\n... cut: 1 of 2 bytes kept\n");
    CHECK(cut_evidence("a\xc3\xa4\xc3\xa4", 7) == "a\xc3\xa4\xc3\xa4");
    CHECK(cut_evidence("a\xc3\xa4\xc3\xa4", 6) == "a\n... cut: 1 of 5 bytes kept\n");
}

TEST_CASE("bounds without a parameter, or of one that is no quantity, are refused where they are declared") {
    const auto check = [] { return Check("size", "", size); };
    CHECK_NOTHROW(check().param("n", type::rate, "").within(0, 1));
    CHECK_THROWS_WITH(check().within(0, 1), "check 'size': within() stands before any parameter");
    CHECK_THROWS_WITH(check().param("n", type::text, "").within(0, 1), "check 'size': within() bounds 'n', which is a text");
}

TEST_CASE("an author's own test fails where the host would not count the answer") {
    CHECK(ask("says", {{"what", "pass"}}).outcome() == "pass");
    for (const auto& [what, code] :
         std::vector<std::pair<std::string, std::string>>{{"pass beside a broken limit", "worker.pass-outside-limit"},
                                                          {"skip beside a broken limit", "worker.pass-outside-limit"},
                                                          {"undeclared", "worker.undeclared-cause"},
                                                          {"no cause", "worker.cause-missing"},
                                                          {"no reason", "worker.reason-missing"},
                                                          {"NaN", "worker.measurement"},
                                                          {"a limit that is NaN", "worker.measurement"},
                                                          {"two units", "worker.measurement"}}) {
        INFO(what);
        const auto answer = ask("says", {{"what", what}});
        CHECK(answer.outcome() == "not_run");
        CHECK(answer.cause() == code);
    }
    CHECK_THROWS_WITH(ask("size", {{"valeu", 1}}), "check 'size': parameter 'valeu', which it does not declare");
    CHECK_THROWS_WITH(ask("size", {{"value", "1"}}), "check 'size': parameter 'value': \"1\" is not of type number");
    CHECK_THROWS_WITH(ask("says", {{"what", "pass"}, {"count", 21}}), "check 'says': parameter 'count': 21 is out of its bounds");
    CHECK(ask("says", {{"what", "pass"}, {"count", 20}}).outcome() == "pass");
}

TEST_CASE("a look tells of things, leaves out what it does not know, and names what looks wrong") {
    const json catalogue = json::parse(diag_plugin_v1()->describe());
    CHECK(catalogue["look"]["name"] == "look");
    CHECK(catalogue["checks"].size() == 3);
    const auto answer = diag::testing::ask(*diag_plugin_v1(), "look");
    CHECK(answer.outcome() == "pass");
    REQUIRE(answer.events.size() == 3);
    CHECK(answer.events[0]["properties"] == json::parse(R"([{"name":"carrier","text":"up","value":"up"},
                          {"name":"speed","text":"200G","value":200000000000,"site":{"key":"link.speed","value":"200Gbit"}}])"));
    CHECK(answer.events[1]["cause"] == "kit.absent");
}
