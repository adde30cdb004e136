#include "pair_addresses.hpp"

#include "catch.hpp"
#include "fake_world.hpp"

namespace pair_addresses_test {

using namespace diag;
using namespace diag::link;

namespace {

OwnedAddress owned(const std::string& interface, const std::string& address) { return {interface, probe::Address::parse(address).value()}; }

ClashQuestion clash_of(const OwnedAddress& here, const OwnedAddress& there) {
    return {.here = "node-a", .there = "node-b", .addresses_here = {here}, .addresses_there = {there}};
}

}  // namespace

TEST_CASE("an address on both machines fails, and the site file says who has to give it up") {
    std::string saw;
    auto question = clash_of(owned("second", "10.10.77.1"), owned("eth2", "10.10.77.1"));
    auto verdict = judge_clashes(question, saw);
    REQUIRE(verdict);
    CHECK(verdict->outcome == Outcome::fail);
    CHECK(verdict->cause == "link.address-on-both");
    CHECK(verdict->reason == "10.10.77.1 is on second of node-a and on eth2 of node-b");
    CHECK(verdict->values["machine"] == "node-a/node-b");
    CHECK(verdict->values["interface"] == "second/eth2");
    question.address = "10.10.77.1";
    verdict = judge_clashes(question, saw);
    CHECK(verdict->values["machine"] == "node-b");
    CHECK(verdict->values["interface"] == "eth2");
    question.address = "10.10.77.2";
    question.peer_address = "10.10.77.1";
    CHECK(judge_clashes(question, saw)->values["machine"] == "node-a");
    CHECK(saw.empty());
}

TEST_CASE("containers' addresses, and those of services on many machines, are told and are no fault; at one end alone one is a warning") {
    std::string saw;
    OwnedAddress docker = owned("docker0", "172.17.0.1"), service = owned("kube-ipvs0", "10.96.0.1");
    docker.container_bridge = service.service = true;
    CHECK_FALSE(judge_clashes(clash_of(docker, docker), saw));
    CHECK_THAT(saw, ContainsSubstring("172.17.0.1 is on docker0 of node-a and on docker0 of node-b, for containers"));
    CHECK_FALSE(judge_clashes(clash_of(service, service), saw));
    CHECK_THAT(saw, ContainsSubstring("10.96.0.1") && ContainsSubstring("a service's"));
    CHECK(judge_clashes(clash_of(service, owned("eth0", "10.96.0.1")), saw)->outcome == Outcome::warn);
    CHECK(judge_clashes(clash_of(docker, owned("eth0", "172.17.0.1")), saw)->outcome == Outcome::fail);
    CHECK_FALSE(judge_clashes(clash_of(owned("eth0", "10.0.0.1"), owned("eth0", "10.0.0.2")), saw));
}

TEST_CASE("addresses travel to the other machine and back, and what is none is unreadable") {
    FakeWorld world;
    world.own.push_back({2, probe::Address::parse("10.20.0.7").value(), 24});
    const auto own = own_addresses(Machine(world));
    REQUIRE_FALSE(own.empty());
    const json document = to_json(own);
    CHECK(to_json(addresses_from(document)) == document);
    CHECK(document.dump().find("10.20.0.7") != std::string::npos);
    for (const json& broken : {json{17}, json{{{"address", 5}}}, json{{{"address", "10.0.0.1"}}}}) {
        INFO(broken.dump());
        CHECK_THROWS_AS(addresses_from(broken), Unreadable);
    }
}

}  // namespace pair_addresses_test
