// What names.reach must not take for something else: a limit for a broken wire, an entry by hand for a living host, and the like.
#include "reach_judge.hpp"

#include "catch.hpp"
#include "fake_world.hpp"
#include "reach_support.hpp"

namespace reach_test {

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
    for (const auto* dead : {"10.10.0.101", "10.10.0.164"}) {
        FakeWorld one = world;
        one.answers[dead].clear();
        one.neighbours[dead] = "failed";
        auto about = question;
        about.address = dead;  // the site file's own is among those that are probed, wherever it stands
        CHECK(judge_reach(about, one).verdict.cause == "names.no-neighbour");
    }
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

TEST_CASE("a rate limit on echo is told as such: slow probes all come back, and quick ones are lost after a burst") {
    FakeWorld world;
    world.answers[peer] = replies_to({1});
    world.slow[peer] = replies(5);
    const auto finding = judge_reach(to(peer), world);
    CHECK(finding.verdict.cause == "names.echo-limited");
    CHECK(finding.verdict.outcome == Outcome::warn);
    CHECK(finding.readings.at(0).limit.holds(0.8));
    CHECK_THAT(finding.evidence, ContainsSubstring("asked again, every 1100 ms"));
    world.answers[peer] = replies_to({1, 2, 3, 4});  // too few to tell by; a volley does
    world.quick[peer] = replies_to({1, 2, 3, 4, 5, 20});
    CHECK(judge_reach(to(peer), world).verdict.cause == "names.echo-limited");
}

TEST_CASE("loss by chance stays loss, though slow probes come back or a burst is lost") {
    FakeWorld world;
    world.answers[peer] = replies_to({1, 2, 4, 5});
    world.slow[peer] = replies(5);
    world.quick[peer] = replies_to({1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 16, 17, 19, 20});
    CHECK(judge_reach(to(peer), world).verdict.cause == "names.loss");
    world.quick[peer] = replies_to({2, 3, 4});  // no limit drops the first
    CHECK(judge_reach(to(peer), world).verdict.cause == "names.loss");
    world.answers[peer] = replies_to({1});
    world.slow[peer] = replies(4);
    CHECK(judge_reach(to(peer), world).verdict.cause == "names.loss");
    world.slow[peer] = replies(5);
    auto slowly = to(peer);
    slowly.plan.interval = 1s;  // no limit explains what was asked as slowly
    CHECK(judge_reach(slowly, world).verdict.cause == "names.loss");
}

TEST_CASE("a router's late word about a dead host is waited for") {
    FakeWorld world;
    world.gateways.emplace("192.0.2.9", at("10.0.0.254"));
    world.neighbours["10.0.0.254"] = "reachable";
    CHECK(judge_reach(to("192.0.2.9", ""), world).verdict.cause == "names.silent");
    world.late["192.0.2.9"] = {error(3, 1, "10.0.0.254")};
    CHECK(judge_reach(to("192.0.2.9", ""), world).verdict.cause == "names.unreachable");
}

TEST_CASE("a silent host behind a router is not called on its link: the router is") {
    FakeWorld world;
    world.gateways.emplace("192.0.2.9", at("10.0.0.254"));
    world.neighbours["10.0.0.254"] = "reachable";
    const auto behind = judge_reach(to("192.0.2.9", ""), world).verdict;
    CHECK(behind.cause == "names.silent");
    CHECK_THAT(behind.reason, ContainsSubstring("the router 10.0.0.254 on the way to it is on its link"));
    CHECK_THAT(behind.reason, !ContainsSubstring("192.0.2.9 is on its link"));
    world.neighbours[peer] = "reachable";
    CHECK_THAT(judge_reach(to(peer), world).verdict.reason, ContainsSubstring("10.10.0.2 is on its link"));
}

TEST_CASE("what proves nothing of a silent host is not called a proof: an entry by hand, no ARP, no right to ask") {
    FakeWorld world;
    const auto reason = [&](const std::string& state, Asked asked) {
        world.neighbours[peer] = state;
        world.neighbour_answer = asked;
        const auto verdict = judge_reach(to(peer), world).verdict;
        CHECK(verdict.cause == "names.silent");
        return verdict.reason;
    };
    for (const auto* fixed : {"permanent", "noarp"}) {
        CHECK_THAT(reason(fixed, Asked::silent),
                   ContainsSubstring("not known") && ContainsSubstring(fixed) && !ContainsSubstring("is on its"));
        CHECK_THAT(reason(fixed, Asked::answered), ContainsSubstring("is on its link"));
    }
    CHECK_THAT(reason("stale", Asked::impossible), ContainsSubstring("not known: it cannot be asked for here"));
    CHECK_THAT(reason("reachable", Asked::impossible), ContainsSubstring("is on its link"));
}

TEST_CASE("where only UDP could be sent, its silence is not told as an echo that is dropped") {
    FakeWorld world;
    world.method = probe::EchoMethod::udp;
    world.neighbours[peer] = "reachable";
    const auto silent = judge_reach(to(peer), world);
    CHECK(silent.verdict.cause == "names.silent");
    CHECK_THAT(silent.verdict.reason, ContainsSubstring("neither UDP probes"));
    CHECK_THAT(silent.asked, ContainsSubstring("5 UDP probes"));
    world.tcp_alive = {peer};
    const auto alive = judge_reach(to(peer), world);
    CHECK(alive.verdict.cause == "names.echo-unasked");
    CHECK(alive.verdict.outcome == Outcome::warn);
    CHECK(alive.readings.at(0).limit.holds(1.0));
    world.answers[peer] = {error(3, 13, peer)};  // refusing odd ports is what firewalls do
    CHECK(judge_reach(to(peer), world).verdict.cause == "names.echo-unasked");
    world.method = probe::EchoMethod::icmp_datagram;
    CHECK(judge_reach(to(peer), world).verdict.cause == "names.rejected");
    world.answers.clear();
    CHECK(judge_reach(to(peer), world).verdict.cause == "names.echo-filtered");
}

TEST_CASE("a link-local address is probed on the link of the interface asked for, and told without one") {
    FakeWorld world;
    const auto scoped = at("fe80::2").on(3).text();
    world.answers[scoped] = replies(5);
    CHECK(judge_reach(to("fe80::2"), world).verdict.outcome == Outcome::pass);
    const auto verdict = judge_reach(to("fe80::2", ""), world).verdict;
    CHECK(verdict.cause == "names.link-local");
    CHECK(verdict.values.at("found") == "fe80::2");
    ReachQuestion question = to("fe80::2");
    question.name = "node-b";
    world.knows("node-b", {"fe80::2"});
    CHECK(judge_reach(question, world).verdict.outcome == Outcome::pass);
}

TEST_CASE("a rule by source address that leaves programs no way is no pass, however well the probes come back") {
    FakeWorld world;
    world.answers[peer] = replies(5);
    world.ruled[peer] = "";
    for (const auto* interface : {"wire", ""}) {
        const auto verdict = judge_reach(to(peer, interface), world).verdict;
        CHECK(verdict.cause == "names.no-route");
        CHECK_THAT(verdict.reason, ContainsSubstring("a routing rule"));
    }
    world.ruled = {{"10.10.0.3", ""}};  // of another address
    CHECK(judge_reach(to(peer), world).verdict.outcome == Outcome::pass);
}

}  // namespace reach_test
