#include "host/look.hpp"

#include "catch.hpp"
#include "host/judge.hpp"

using namespace diag;
using namespace diag::host;

namespace {

PluginInfo plugin(const std::string& name) {
    PluginInfo p;
    p.name = name;
    CheckInfo check, look;
    check.causes = {{name + ".same-prefix", "configuration", "Two interfaces share a prefix.", "ip addr show {interface}"}};
    look.name = "look";
    p.checks = {check};
    p.look = look;
    return p;
}

Result told(const PluginInfo& from, std::vector<std::string> lines) {
    lines.push_back(R"({"event":"verdict","outcome":"pass","cause":"","reason":"looked","values":{}})");
    const json end = {{"how", "exited"}, {"status", 0}};
    return judge(*from.look, json::object(), {std::move(lines), "", "", end});
}

}  // namespace

TEST_CASE("what two plugins see of one thing stands in one row") {
    Seen seen;
    const auto link = plugin("link"), rdma = plugin("rdma");
    add_look(link,
             told(link, {R"({"event":"see","kind":"interface","name":"eth0","properties":[{"name":"mtu","text":"9000","value":9000}]})",
                         R"({"event":"see","kind":"interface","name":"eth1","properties":[]})"}),
             seen);
    add_look(
        rdma,
        told(rdma, {R"({"event":"see","kind":"interface","name":"eth0","properties":[{"name":"rdma","text":"rocep1","value":"rocep1"}]})"}),
        seen);
    REQUIRE(seen.of_kind("interface").size() == 2);
    CHECK(seen.of_kind("interface")[0]->property("mtu")->value == 9000);
    CHECK(seen.of_kind("interface")[0]->property("rdma")->text == "rocep1");
    CHECK(seen.of_kind("interface")[1]->property("mtu") == nullptr);
    CHECK(seen.blind.empty());
}

TEST_CASE("what looks wrong carries the declared mover and the filled remedy; an undeclared cause is said") {
    Seen seen;
    const auto link = plugin("link");
    add_look(link,
             told(link, {R"({"event":"wrong","cause":"link.same-prefix","reason":"eth0 and eth1","values":{"interface":"eth0"}})",
                         R"({"event":"wrong","cause":"link.other","reason":"x"})"}),
             seen);
    REQUIRE(seen.wrong.size() == 1);
    CHECK(seen.wrong[0].next == "ip addr show eth0");
    CHECK(seen.wrong[0].mover == "configuration");
    REQUIRE(seen.blind.size() == 1);
    CHECK(seen.blind[0].cause == "worker.undeclared-cause");
}

TEST_CASE("a look that ends badly is told as blind, and what it saw before is kept") {
    Seen seen;
    const auto link = plugin("link");
    const json end = {{"how", "signal"}, {"signal", 11}};
    add_look(link, judge(*link.look, json::object(), {{R"({"event":"see","kind":"port","name":"p0","properties":[]})"}, "", "", end}),
             seen);
    CHECK(seen.of_kind("port").size() == 1);
    REQUIRE(seen.blind.size() == 1);
    CHECK(seen.blind[0].cause == "worker.signal");
    add_look(link, told(link, {R"({"event":"see","kind":"port","name":"p0","properties":[{"name":"x"}]})"}), seen);
    CHECK(seen.blind.back().cause == "worker.junk");
}
