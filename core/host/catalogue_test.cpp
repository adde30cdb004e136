#include "host/catalogue.hpp"

#include <functional>
#include <set>

#include "catch.hpp"
#include "host/result.hpp"

using namespace diag;
using namespace diag::host;

namespace {

json sound() {
    return json::parse(R"({"plugin":"mtu","about":"Frame sizes.","checks":[{"name":"path","title":"It fits",
      "params":[{"name":"mtu","type":"bytes","help":"bytes","when_missing":"default","default":1500},
                {"name":"count","type":"integer","help":"probes","when_missing":"required","default":null},
                {"name":"to","type":"text","help":"where","when_missing":"skip","default":null}],
      "causes":[{"code":"mtu.path-smaller","mover":"configuration","meaning":"A hop is smaller.","remedy":"raise it"}],
      "needs":["net_raw"],"exclusive":true,"side_by_side":false,"reusable_while":["gid"],
      "takes":{"seconds":2,"per":{"count":0.5}}}]})");
}

std::string refusal(const std::function<void(json&)>& spoil) {
    json document = sound();
    spoil(document);
    try {
        read_catalogue(document.dump());
        return "accepted";
    } catch (const BadCatalogue& e) {
        return e.what();
    }
}

json& check(json& document) { return document["checks"][0]; }

}  // namespace

TEST_CASE("a catalogue is read whole") {
    Catalogue catalogue;
    catalogue.plugins.push_back(read_catalogue(sound().dump()));
    const CheckInfo* c = catalogue.check("mtu.path");
    REQUIRE(c != nullptr);
    CHECK(c->param("mtu")->fallback == 1500);
    CHECK(c->param("to")->when_missing == WhenMissing::skip);
    CHECK(c->param("absent") == nullptr);
    CHECK(c->cause("mtu.path-smaller")->mover == "configuration");
    CHECK(c->needs == std::vector<std::string>{"net_raw"});
    CHECK(c->exclusive);
    CHECK(catalogue.plugin_of("mtu.path") == &catalogue.plugins[0]);
    CHECK(catalogue.check("mtu.other") == nullptr);
    CHECK(catalogue.check_names() == std::vector<std::string>{"mtu.path"});
    const auto codes = catalogue.cause_codes();
    CHECK(std::set<std::string>(codes.begin(), codes.end()).contains("worker.deadline"));
    CHECK(std::set<std::string>(codes.begin(), codes.end()).contains("mtu.path-smaller"));
    CHECK_FALSE(std::set<std::string>(codes.begin(), codes.end()).contains("mtu.seen"));
    json looking = sound();
    looking["look"] = check(looking);
    looking["look"].update(
        json{{"name", "look"}, {"causes", {{{"code", "mtu.seen"}, {"mover", "owner"}, {"meaning", "?"}, {"remedy", ""}}}}});
    catalogue.plugins[0] = read_catalogue(looking.dump());
    const auto with_look = catalogue.cause_codes();
    CHECK(std::set<std::string>(with_look.begin(), with_look.end()).contains("mtu.seen"));
}

TEST_CASE("a check says what the sheet shows of it; a catalogue from before there was a sheet loads") {
    json document = sound();
    CHECK(read_catalogue(document.dump()).checks[0].columns.empty());
    check(document)["columns"] = {{{"title", "Path MTU"}, {"from", "measured.path_mtu"}}, {{"title", "Asked"}, {"from", "param.mtu"}}};
    const auto columns = read_catalogue(document.dump()).checks[0].columns;
    REQUIRE(columns.size() == 2);
    CHECK(columns[0].title == "Path MTU");
    CHECK(columns[1].from == "param.mtu");
    const auto with = [](json column) { return refusal([&](json& d) { check(d)["columns"] = json::array({column}); }); };
    CHECK_THAT(with({{"title", "X"}, {"from", "param.absent"}}), ContainsSubstring("'param.absent', which is no parameter"));
    CHECK_THAT(with({{"title", ""}, {"from", "measured.x"}}), ContainsSubstring("empty"));
    CHECK_THAT(with({{"title", "X"}}), ContainsSubstring("'from' is missing"));
    CHECK_THAT(refusal([](json& d) { check(d)["columns"] = "many"; }), ContainsSubstring("not a list"));
}

TEST_CASE("how long a check takes follows its parameters, and their defaults") {
    json document = sound();
    check(document)["takes"]["per"]["mtu"] = 0.001;
    const CheckInfo c = read_catalogue(document.dump()).checks[0];
    CHECK(c.takes({{"count", 4}}) == 5.5);
    CHECK(c.takes({{"count", 4}, {"mtu", 9000}}) == 13);
    CHECK(c.takes({{"count", "four"}, {"mtu", -5}}) == 2);
}

TEST_CASE("a check that sends so many packets at such an interval takes their product") {
    json document = sound();
    check(document)["takes"]["per"] = {{"count*mtu", 0.001}};
    const CheckInfo c = read_catalogue(document.dump()).checks[0];
    CHECK(c.takes({{"count", 4}, {"mtu", 2000}}) == 10);
    CHECK(c.takes({{"count", 4}}) == 8);
    CHECK(c.takes({{"mtu", 9000}}) == 2);
}

TEST_CASE("a catalogue that is wrong is refused, with the place") {
    CHECK(refusal([](json&) {}) == "accepted");
    CHECK(refusal([](json& d) { check(d)["params"][0]["later"] = 1; }) == "accepted");  // a later kit may say more
    CHECK_THAT(refusal([](json& d) { d["plugin"] = "../etc"; }), ContainsSubstring("'../etc' is no name"));
    CHECK_THAT(refusal([](json& d) { check(d)["name"] = "Path\x1b"; }), ContainsSubstring("is no name"));
    CHECK_THAT(refusal([](json& d) { check(d).erase("title"); }), ContainsSubstring("check 'path': 'title' is missing"));
    CHECK_THAT(refusal([](json& d) { check(d)["params"][1]["type"] = "colour"; }),
               ContainsSubstring("parameter 'count': there is no type 'colour'"));
    CHECK_THAT(refusal([](json& d) { check(d)["params"][0]["default"] = "1500"; }), ContainsSubstring("not of type bytes"));
    CHECK_THAT(refusal([](json& d) { check(d)["params"][0]["default"] = 1500.5; }), ContainsSubstring("not of type bytes"));
    CHECK_THAT(refusal([](json& d) { check(d)["params"][1]["default"] = 3; }), ContainsSubstring("does not use"));
    CHECK_THAT(refusal([](json& d) { check(d)["params"][1]["when_missing"] = "guess"; }), ContainsSubstring("'guess'"));
    CHECK_THAT(refusal([](json& d) { check(d)["params"][1]["name"] = "mtu"; }), ContainsSubstring("'mtu' is declared twice"));
    CHECK_THAT(refusal([](json& d) { check(d)["causes"][0]["mover"] = "me"; }), ContainsSubstring("no mover 'me'"));
    CHECK_THAT(refusal([](json& d) { check(d)["causes"][0]["code"] = "broken"; }), ContainsSubstring("area.what"));
    CHECK_THAT(refusal([](json& d) { check(d)["takes"]["seconds"] = -1; }), ContainsSubstring("not a duration"));
    CHECK_THAT(refusal([](json& d) { check(d)["takes"]["per"] = {{"to", 1}}; }), ContainsSubstring("no number"));
    CHECK_THAT(refusal([](json& d) { check(d)["takes"]["per"] = {{"absent", 1}}; }), ContainsSubstring("no parameter"));
    CHECK_THAT(refusal([](json& d) { check(d)["takes"]["per"] = {{"count*absent", 1}}; }), ContainsSubstring("each 'absent'"));
    CHECK_THAT(refusal([](json& d) { check(d)["takes"]["per"] = {{"count*", 1}}; }), ContainsSubstring("no parameter"));
    CHECK_THAT(refusal([](json& d) { d["checks"].push_back(d["checks"][0]); }), ContainsSubstring("'path' is declared twice"));
    CHECK_THAT(refusal([](json& d) { d["checks"] = "many"; }), ContainsSubstring("not a list"));
    CHECK_THAT(refusal([](json& d) { d = json::array(); }), ContainsSubstring("missing"));
    CHECK_THROWS_AS(read_catalogue(std::string(100000, '[')), BadCatalogue);
    CHECK_THROWS_AS(read_catalogue(""), BadCatalogue);
}

TEST_CASE("every one of the host's own causes can be explained") {
    std::set<std::string> codes;
    for (const auto& cause : host_causes()) {
        INFO(cause.code);
        CHECK(codes.insert(cause.code).second);
        CHECK_FALSE(cause.meaning.empty());
        CHECK_FALSE(cause.remedy.empty());
        CHECK(std::set<std::string>{"owner", "configuration", "software", "hardware"}.contains(cause.mover));
    }
}

TEST_CASE("the host's own next steps name no runbook: which there are, a site decides") {
    for (const auto& cause : host_causes()) {
        CAPTURE(cause.code);
        CHECK(cause.remedy.find("diag run") == std::string::npos);
        CHECK(cause.remedy.find("--only") == std::string::npos);
    }
}

TEST_CASE("the worse outcome wins, and a skip beside a pass is a pass") {
    CHECK(worse(Outcome::pass, Outcome::skip) == Outcome::pass);
    CHECK(worse(Outcome::skip, Outcome::skip) == Outcome::skip);
    CHECK(worse(Outcome::skip, Outcome::warn) == Outcome::warn);
    CHECK(worse(Outcome::not_run, Outcome::warn) == Outcome::not_run);
    CHECK(worse(Outcome::not_run, Outcome::fail) == Outcome::fail);
    for (const auto outcome : {Outcome::pass, Outcome::skip, Outcome::warn, Outcome::not_run, Outcome::fail})
        CHECK(outcome_from(to_text(outcome)) == outcome);
    CHECK_FALSE(outcome_from("perhaps"));
}

TEST_CASE("bounds are told in the parameter's unit; a catalogue from before there were bounds loads") {
    json document = sound();
    json& count = check(document)["params"][1];
    CHECK(bounds_text(read_catalogue(document.dump()).checks[0].params[1]).empty());
    count["min"] = 1;
    CHECK(bounds_text(read_catalogue(document.dump()).checks[0].params[1]) == "at least 1");
    count["max"] = 20;
    CHECK(bounds_text(read_catalogue(document.dump()).checks[0].params[1]) == "1 to 20");
    count["type"] = "duration";
    CHECK(bounds_text(read_catalogue(document.dump()).checks[0].params[1]) == "1 s to 20 s");
    CHECK(refusal([](json& d) { check(d)["params"][1]["min"] = "one"; }).find("'min' is not a number") != std::string::npos);
}
