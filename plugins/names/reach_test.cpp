#include "reach_judge.hpp"

#include <cerrno>
#include <cstdint>

#include "catch.hpp"
#include "fake_world.hpp"

namespace reach_test {

using namespace diag;
using namespace diag::names;
using namespace std::chrono_literals;
using probe::EchoAnswer;
using Kind = EchoAnswer::Kind;

static constexpr const char* peer = "10.10.0.2";

static ReachQuestion to(const std::string& address, const std::string& interface = "wire") {
    ReachQuestion question;
    question.address = address;
    question.plan.interface = interface;
    return question;
}

static EchoAnswer reply(unsigned sequence, std::chrono::nanoseconds time = 100us) {
    EchoAnswer answer;
    answer.sequence = static_cast<std::uint16_t>(sequence);
    answer.round_trip = time;
    return answer;
}
static EchoAnswer error(unsigned type, unsigned code, const std::string& sender) {
    EchoAnswer answer = reply(1);
    answer.kind = Kind::icmp_error;
    answer.type = static_cast<std::uint8_t>(type);
    answer.code = static_cast<std::uint8_t>(code);
    answer.sender = at(sender);
    return answer;
}
static EchoAnswer refused(int number) {
    EchoAnswer answer = reply(1);
    answer.kind = Kind::local_error;
    answer.error = number;
    return answer;
}
static std::vector<EchoAnswer> replies(unsigned count) {
    std::vector<EchoAnswer> all;
    for (unsigned i = 1; i <= count; ++i) all.push_back(reply(i, i * 100us));
    return all;
}
static double reading(const Finding& finding, const std::string& name) {
    for (const auto& r : finding.readings)
        if (r.name == name) return r.value;
    FAIL("no reading " << name);
    return -1;
}
static std::string cause(const std::vector<EchoAnswer>& answers, FakeWorld world = {}, const std::string& address = peer) {
    world.answers[address] = answers;
    return judge_reach(to(address), world).verdict.cause;
}

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

static ReachQuestion of_many(FakeWorld& world, unsigned count) {
    std::vector<std::string> addresses;
    for (unsigned i = 0; i < count; ++i) addresses.push_back("10.10.0." + std::to_string(100 + i));
    for (const auto& address : addresses) world.answers[address] = replies(5);
    world.knows("node-b", addresses);
    ReachQuestion question = to("10.10.0.100");
    question.name = "node-b";
    return question;
}

TEST_CASE("every one of many addresses is probed: the ninth, the last, and all that are silent are told apart") {
    FakeWorld world;
    const auto question = of_many(world, 64);
    const auto finding = judge_reach(question, world);
    CHECK(finding.verdict.outcome == Outcome::pass);
    CHECK_THAT(finding.asked, ContainsSubstring("every address of node-b"));
    for (const auto* last : {"10.10.0.108", "10.10.0.163"}) {
        FakeWorld dead = world;
        dead.answers[last].clear();
        dead.neighbours[last] = "failed";
        const auto told = judge_reach(question, dead).verdict;
        CHECK(told.cause == "names.no-neighbour");
        CHECK_THAT(told.reason, ContainsSubstring(last));
    }
}

TEST_CASE("more addresses than are probed are no silent pass") {
    FakeWorld world;
    const auto question = of_many(world, 65);
    const auto finding = judge_reach(question, world);
    CHECK(finding.verdict.cause == "names.too-many");
    CHECK(finding.verdict.outcome == Outcome::warn);
    CHECK_THAT(finding.verdict.reason, ContainsSubstring("65 addresses: 64 of them were probed"));
    CHECK_THAT(finding.asked, ContainsSubstring("64 addresses of node-b"));
    world.answers["10.10.0.101"].clear();
    world.neighbours["10.10.0.101"] = "failed";
    CHECK(judge_reach(question, world).verdict.cause == "names.no-neighbour");  // what is wrong comes before what is not known
}

TEST_CASE("an address that this machine has itself is no peer, however well it answers") {
    FakeWorld world;
    world.answers["10.10.0.1"] = world.answers[peer] = replies(5);
    const auto verdict = judge_reach(to("10.10.0.1"), world).verdict;
    CHECK(verdict.cause == "names.own-address");
    CHECK(verdict.values.at("found") == "10.10.0.1");
    ReachQuestion question = to(peer);
    question.name = "node-b";
    world.knows("node-b", {peer, "10.10.0.1"});
    CHECK(judge_reach(question, world).verdict.cause == "names.own-address");
    world.knows("node-c", {peer});  // the twin: a neighbour in the same prefix
    question.name = "node-c";
    CHECK(judge_reach(question, world).verdict.outcome == Outcome::pass);
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
