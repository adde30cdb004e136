// A plugin as an author writes it, asked the way a test asks it.
#include <diag/plugin.hpp>
#include <diag/testing.hpp>

#include <cstring>

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
    CHECK(unreadable.outcome() == "none");
    CHECK_THAT(unreadable.reason(), ContainsSubstring("cannot read"));
    CHECK(ask("throws", {{"int", true}}).error["kind"] == "exception");
    CHECK(ask("throws", {{"value", true}}).error["kind"] == "parameter");
    CHECK(ask("throws", {{"unknown", true}}).error["kind"] == "unknown");
}

TEST_CASE("a parameter that has no value is an error with its name, not a zero") {
    CHECK_THAT(ask("size").reason(), ContainsSubstring("'value'"));
    CHECK(ask("nothing").error["kind"] == "no-such-check");
}

TEST_CASE("a parameter that is read as another type is an error with its name") {
    Context c({{"params", {{"count", 3}}}}, -1);
    CHECK(c.integer("count") == 3);
    CHECK_THROWS_WITH(c.text("count"), "parameter 'count' was read as another type than it is declared with: it is a number");
}

TEST_CASE("bounds without a parameter, or of one that is no quantity, are refused where they are declared") {
    const auto check = [] { return Check("size", "", size); };
    CHECK_NOTHROW(check().param("n", type::rate, "").within(0, 1));
    CHECK_THROWS_WITH(check().within(0, 1), "check 'size': within() stands before any parameter");
    CHECK_THROWS_WITH(check().param("n", type::text, "").within(0, 1), "check 'size': within() bounds 'n', which is a text");
}

TEST_CASE("a look tells of things, leaves out what it does not know, and names what looks wrong") {
    const json catalogue = json::parse(diag_plugin_v1()->describe());
    CHECK(catalogue["look"]["name"] == "look");
    CHECK(catalogue["checks"].size() == 2);
    const auto answer = diag::testing::ask(*diag_plugin_v1(), "look");
    CHECK(answer.outcome() == "pass");
    REQUIRE(answer.events.size() == 3);
    CHECK(answer.events[0]["properties"] == json::parse(R"([{"name":"carrier","text":"up","value":"up"},
                          {"name":"speed","text":"200G","value":200000000000,"site":{"key":"link.speed","value":"200Gbit"}}])"));
    CHECK(answer.events[1]["cause"] == "kit.absent");
}
