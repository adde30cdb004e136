#include "reach_judge.hpp"

#include <cerrno>

#include "catch.hpp"
#include "fake_world.hpp"
#include "reach_support.hpp"

namespace reach_test {

TEST_CASE("five of five answers pass, with loss and round trips measured") {
    FakeWorld world;
    world.answers[peer] = replies(5);
    const auto finding = judge_reach(to(peer), world);
    CHECK(finding.verdict.outcome == Outcome::pass);
    CHECK(reading(finding, "loss") == 0);
    CHECK(reading(finding, "rtt_min") > 0.0999);
    CHECK(reading(finding, "rtt_min") < 0.1001);
    CHECK(reading(finding, "rtt_avg") > 0.2999);
    CHECK(reading(finding, "rtt_avg") < 0.3001);
    CHECK(reading(finding, "rtt_max") > 0.4999);
    CHECK(finding.evidence.find("ICMP (raw socket)") != std::string::npos);
}

TEST_CASE("the site file's address counts: without a route to it nothing passes, however well another address answers") {
    FakeWorld world;
    ReachQuestion question = to("192.0.2.7");
    question.name = "node-b";
    world.knows("node-b", {"192.0.2.7", peer});
    world.answers["192.0.2.7"] = world.answers[peer] = replies(5);  // bound to the interface, probes pass by the refusing route
    CHECK(judge_reach(question, world).verdict.cause == "names.no-route");
    question.address = peer;  // the routeless address is one the site file does not speak of
    CHECK(judge_reach(question, world).verdict.cause == "names.unroutable");
}

TEST_CASE("a silent address of a machine whose other address answers is not called a machine that is off") {
    FakeWorld world;
    ReachQuestion question = to(peer);
    question.name = "node-b";
    world.knows("node-b", {peer, "fd10::2"});
    world.neighbours[peer] = "failed";
    CHECK(judge_reach(question, world).verdict.reason.find("the machine is on") == std::string::npos);
    world.answers["fd10::2"] = replies(5);
    CHECK_THAT(judge_reach(question, world).verdict.reason, ContainsSubstring("fd10::2 of the same name answers, so the machine is on"));
}

// Two addresses on the link, both without an echo: neighbour discovery says nothing, and ARP as the test says.
static Verdict half_heard(const std::string& arp_entry, Asked arp, FakeWorld world = {}) {
    ReachQuestion question = to(peer, "");
    question.name = "node-b";
    world.knows("node-b", {"fd10::2", peer});
    world.neighbours = {{"fd10::2", "failed"}, {peer, arp_entry}};
    world.neighbour_answer = arp;
    return judge_reach(question, world).verdict;
}

TEST_CASE("a machine that one address hears by ARP is on and cabled, although neighbour discovery of another is dropped") {
    const auto verdict = half_heard("reachable", Asked::answered);
    CHECK(verdict.cause == "names.silent");
    CHECK_THAT(verdict.reason, ContainsSubstring("10.10.0.2 is on its link") && ContainsSubstring("nobody answers neighbour discovery") &&
                                   ContainsSubstring("10.10.0.2 of the same name answers ARP there, so the machine is on and cabled"));
    CHECK(half_heard("reachable", Asked::impossible).cause == "names.silent");  // the kernel's own word, and it is fresh
    FakeWorld alive;
    alive.tcp_alive = {peer};  // a warning for that address, and a failure for the other: not one of the cable's
    CHECK(half_heard("reachable", Asked::answered, alive).cause == "names.silent");
}

TEST_CASE("what was not heard now, or was heard on another link, leaves a machine that is off or unplugged") {
    CHECK(half_heard("failed", Asked::answered).cause == "names.no-neighbour");
    CHECK(half_heard("reachable", Asked::silent).cause == "names.no-neighbour");
    CHECK(half_heard("delay", Asked::impossible).cause == "names.no-neighbour");  // older than the silence
    FakeWorld house;
    house.forced[peer] = "eth0";
    CHECK(half_heard("reachable", Asked::answered, house).cause == "names.no-neighbour");
    FakeWorld routed;
    routed.gateways.emplace(peer, at("10.10.0.254"));  // the router is heard, not the machine behind it
    CHECK(half_heard("reachable", Asked::answered, routed).cause == "names.no-neighbour");
}

TEST_CASE("lost probes fail beyond the allowed share only; a late reply is a lost one") {
    FakeWorld world;
    world.answers[peer] = replies(4);
    world.answers[peer].push_back(reply(5, 1001ms));
    auto question = to(peer);
    const auto finding = judge_reach(question, world);
    CHECK(finding.verdict.cause == "names.loss");
    CHECK(reading(finding, "loss") > 0.1999);
    question.max_loss = 0.2 + 1e-9;
    CHECK(judge_reach(question, world).verdict.outcome == Outcome::pass);
}

TEST_CASE("every address of a name is judged, and the worst one is told") {
    FakeWorld world;
    world.knows("node-b", {"10.10.0.2", "fd10::2", "2001:db8::2"});  // the last has no route here
    world.answers = {{"10.10.0.2", replies(5)}, {"fd10::2", replies(5)}};
    ReachQuestion question = to(peer);
    question.name = "node-b";
    auto finding = judge_reach(question, world);
    CHECK(finding.verdict.outcome == Outcome::warn);
    CHECK(finding.verdict.cause == "names.unroutable");
    CHECK(reading(finding, "rtt_max[fd10::2]") > 0);
    world.forced["2001:db8::2"] = "eth0";
    world.answers["2001:db8::2"] = replies(5);
    finding = judge_reach(question, world);
    CHECK(finding.verdict.outcome == Outcome::pass);
    CHECK(finding.verdict.reason.find("fd10::2") != std::string::npos);
    world.answers["fd10::2"].clear();
    world.neighbours["fd10::2"] = "failed";
    finding = judge_reach(question, world);
    CHECK(finding.verdict.cause == "names.no-neighbour");
    CHECK(reading(finding, "loss[10.10.0.2]") == 0);
    CHECK(reading(finding, "loss[fd10::2]") == 1);
}

TEST_CASE("an IPv6 address of a name is no warning on a machine that has no IPv6") {
    FakeWorld world;
    std::erase_if(world.own, [](const auto& own) { return own.address.v6(); });
    world.knows("node-b", {peer, "2001:db8::2"});
    world.answers[peer] = replies(5);
    ReachQuestion question = to(peer);
    question.name = "node-b";
    const auto finding = judge_reach(question, world);
    CHECK(finding.verdict.outcome == Outcome::pass);
    CHECK_THAT(finding.saw, ContainsSubstring("2001:db8::2: no route, not probed"));
}

TEST_CASE("without a name or an address there is nothing to ask, and that is no pass") {
    FakeWorld world;
    CHECK(judge_reach(ReachQuestion{}, world).verdict.outcome == Outcome::skip);
    ReachQuestion question;
    question.name = "node-x";
    CHECK(judge_reach(question, world).verdict.cause == "names.unknown");
    CHECK(judge_reach(to("10.10.0.2/24"), world).verdict.cause == "names.address-invalid");
}

TEST_CASE("a firewall that refuses is no routing fault, whatever word it uses") {
    for (const unsigned code : {2U, 3U, 9U, 10U, 13U}) CHECK(cause({error(3, code, peer)}) == "names.rejected");
    CHECK(cause({error(3, 13, "10.0.0.254")}) == "names.rejected");  // a router in between
    CHECK(cause({error(3, 1, peer)}) == "names.rejected");           // a host that calls itself unreachable
    for (const unsigned code : {1U, 4U, 5U, 6U}) CHECK(cause({error(1, code, "fd10::2")}, {}, "fd10::2") == "names.rejected");
}

TEST_CASE("a router that knows no way, and one that goes in circles, are named") {
    FakeWorld world;
    world.gateways.emplace("192.0.2.9", at("10.0.0.254"));
    for (const unsigned code : {0U, 1U, 6U, 7U}) {
        world.answers["192.0.2.9"] = {error(3, code, "10.0.0.254")};
        const auto verdict = judge_reach(to("192.0.2.9", ""), world).verdict;
        CHECK(verdict.cause == "names.unreachable");
        CHECK(verdict.values["sender"] == "10.0.0.254");
    }
    world.answers["192.0.2.9"] = {error(11, 0, "10.0.0.254")};
    CHECK(judge_reach(to("192.0.2.9", ""), world).verdict.cause == "names.routing-loop");
}

TEST_CASE("what this machine refuses itself is told by its kind") {
    CHECK(cause({refused(EPERM)}) == "names.blocked-here");
    CHECK(cause({error(3, 13, "10.10.0.1")}) == "names.blocked-here");  // our own firewall's reject
    CHECK(cause({refused(ENETUNREACH)}) == "names.no-route");
    CHECK(cause({refused(EHOSTUNREACH)}) == "names.no-route");
    CHECK(cause({refused(ENOBUFS)}) == "names.send-failed");
    CHECK(cause({}, {}, "192.0.2.9") == "names.no-route");  // bound to an interface, the kernel sends without a route
}

TEST_CASE("an address that nobody on the link has is told from a host that says nothing") {
    FakeWorld world;
    world.neighbours[peer] = "incomplete";
    CHECK(cause({}, world) == "names.no-neighbour");
    CHECK(cause({error(3, 1, "10.10.0.1")}, world) == "names.no-neighbour");  // our kernel's own word for it
    world.neighbours[peer] = "reachable";
    CHECK(cause({}, world) == "names.silent");
    world.neighbour_answer = Asked::silent;  // the entry is older than the silence
    CHECK(cause({}, world) == "names.no-neighbour");
    world.neighbour_answer = Asked::answered;
    CHECK(cause({}, world) == "names.silent");
}

TEST_CASE("a wire without carrier is mentioned where nobody answers") {
    FakeWorld world;
    world.neighbours[peer] = "failed";
    world.links["wire"].carrier = false;
    CHECK(judge_reach(to(peer), world).verdict.reason.find("wire, which has no carrier") != std::string::npos);
}

TEST_CASE("a silent router on the way is named instead of the host behind it") {
    FakeWorld world;
    world.gateways.emplace("192.0.2.9", at("10.0.0.254"));
    world.neighbours["10.0.0.254"] = "failed";
    const auto verdict = judge_reach(to("192.0.2.9", ""), world).verdict;
    CHECK(verdict.cause == "names.no-gateway");
    CHECK(verdict.values["gateway"] == "10.0.0.254");
    world.neighbours["10.0.0.254"] = "reachable";
    CHECK(judge_reach(to("192.0.2.9", ""), world).verdict.cause == "names.silent");
}

TEST_CASE("a host that drops echo and answers TCP is alive: a warning, and its loss breaks no limit") {
    FakeWorld world;
    world.neighbours[peer] = "reachable";
    world.tcp_alive = {peer};
    const auto finding = judge_reach(to(peer), world);
    CHECK(finding.verdict.outcome == Outcome::warn);
    CHECK(finding.verdict.cause == "names.echo-filtered");
    CHECK(finding.readings.at(0).limit.holds(1.0));
    auto question = to(peer);
    question.tcp_port = 0;
    CHECK(judge_reach(question, world).verdict.cause == "names.silent");
}

TEST_CASE("an address that answers by another interface only is not called dead") {
    FakeWorld world;
    world.neighbours[peer] = "reachable";
    world.echo_alive_unbound = {peer};
    world.forced[peer] = "eth0";
    CHECK(judge_reach(to(peer), world).verdict.cause == "names.answers-elsewhere");
    CHECK(world.echo_calls == 2);
}

TEST_CASE("where the route leads by the very interface, it is the answers that come in by another") {
    FakeWorld world;
    world.neighbours[peer] = "reachable";
    world.echo_alive_unbound = {peer};
    const auto verdict = judge_reach(to(peer), world).verdict;
    CHECK(verdict.cause == "names.answers-return-elsewhere");
    CHECK(verdict.values.at("peer") == peer);
    CHECK(verdict.values.at("own") == "10.10.0.1");
    FakeWorld back = world;
    back.echo_calls = 0;
    back.echo_back_at = 2;  // the link came up between two looks
    const auto lost = judge_reach(to(peer), back).verdict;
    CHECK(lost.cause == "names.loss");
    CHECK_THAT(lost.reason, ContainsSubstring("answers now"));
}

TEST_CASE("probes answered twice are a warning, not a pass") {
    FakeWorld world;
    world.answers[peer] = replies(5);
    world.duplicates = 3;
    const auto verdict = judge_reach(to(peer), world).verdict;
    CHECK(verdict.outcome == Outcome::warn);
    CHECK(verdict.cause == "names.duplicates");
}

}  // namespace reach_test
