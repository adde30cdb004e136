// The judgement of names.sweep over a machine in memory.
#include "sweep_judge.hpp"

#include <cerrno>
#include <cmath>

#include "catch.hpp"
#include "fake_world.hpp"
#include "sweep_targets.hpp"

namespace sweep_test {

using namespace diag;
using namespace diag::names;
using namespace std::chrono_literals;

namespace {

SweepQuestion about(const std::vector<std::string>& addresses) {
    SweepQuestion question;
    question.addresses = addresses;
    return question;
}

SweepAnswer unsent(int error) {
    SweepAnswer answer;
    answer.error = error;
    return answer;
}

double reading(const Finding& finding, const std::string& name) {
    for (const auto& r : finding.readings)
        if (r.name == name) return r.value;
    FAIL("no reading " << name);
    return -1;
}

// Ten addresses of which .2 gave this answer.
Finding with(const SweepAnswer& answer, SweepQuestion question = about({"10.0.0.1-10.0.0.10"})) {
    FakeWorld world;
    world.swept["10.0.0.2"] = answer;
    return judge_sweep(question, world);
}

std::string spelled(const std::string& text, std::size_t most = 65536) { return ranges_text(addresses_of(text, most).value(), 10); }

std::string refused(const std::vector<std::string>& addresses, std::size_t most = 65536) {
    FakeWorld world;
    auto question = about(addresses);
    question.most = most;
    try {
        judge_sweep(question, world);
    } catch (const BadValue& e) {
        CHECK(world.sent_to.empty());
        return e.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("prefixes and ranges are spelled out, without the addresses that no machine has") {
    CHECK(spelled("10.0.0.7") == "10.0.0.7");
    CHECK(spelled("10.0.0.0/22") == "10.0.0.1-10.0.3.254");
    CHECK(spelled("10.0.0.4/31") == "10.0.0.4-10.0.0.5");
    CHECK(spelled("10.0.0.4/32") == "10.0.0.4");
    CHECK(spelled("10.0.0.250-10.0.1.5") == "10.0.0.250-10.0.1.5");
    CHECK(spelled("fd00::/126") == "fd00::1-fd00::3");
    CHECK(spelled("fd00::fffe-fd00::1:2") == "fd00::fffe-fd00::1:2");
    CHECK(addresses_of("10.0.0.0/16", 65536)->size() == 65534);
    CHECK_FALSE(addresses_of("node-1.home.arpa", 65536));
}

TEST_CASE("what is no list of addresses is refused before anything is sent") {
    for (const auto* wrong : {"10.0.0.5/22", "10.0.0.0/33", "10.0.0.0/", "10.0.0.9-10.0.0.1", "10.0.0.1-fd00::1", "10.0.0.1-200",
                              "224.0.0.1", "0.0.0.0", "255.255.255.255", "ff02::1", "fd00::/120/1", "10.0.0.1, 10.0.0.2", ""})
        CHECK_THAT(refused({wrong}), ContainsSubstring(std::string("'") + wrong + "'"));
    CHECK_THAT(refused({"10.0.0.5/22"}), ContainsSubstring("10.0.0.0/22"));
    CHECK(refused({}) != "accepted");
    CHECK(refused({"10.0.0.1", "127.0.0.0/8"}) != "accepted");
    CHECK(refused({"fd00::/64"}) != "accepted");
    CHECK(refused({"::/0"}) != "accepted");
    CHECK(refused({"10.0.0.1-10.0.0.8", "10.0.0.5-10.0.0.12"}, 11) == "these are more than 11 addresses");
    CHECK(refused({"10.0.0.1-10.0.0.8", "10.0.0.5-10.0.0.12"}, 12) == "accepted");
}

TEST_CASE("ranges fold neighbours, each once, and end where they would fill the page") {
    CHECK(ranges_text({at("10.0.0.3"), at("10.0.0.1"), at("10.0.0.2"), at("10.0.0.2"), at("10.0.1.1")}, 5) ==
          "10.0.0.1-10.0.0.3, 10.0.1.1");
    CHECK(ranges_text({at("10.0.0.1"), at("10.0.0.3"), at("10.0.0.5"), at("10.0.0.6")}, 2) == "10.0.0.1, 10.0.0.3 and 2 more addresses");
    CHECK(ranges_text({at("10.0.0.255"), at("10.0.1.0"), at("fd00::1")}, 5) == "10.0.0.255-10.0.1.0, fd00::1");
    CHECK(ranges_text({}, 5).empty());
}

TEST_CASE("all answer: counted, measured, and folded in the evidence") {
    const auto finding = with(FakeWorld::alive(1, 300us));
    CHECK(finding.verdict.outcome == Outcome::pass);
    CHECK(reading(finding, "addresses") == 10);
    CHECK(reading(finding, "alive") == 10);
    CHECK(reading(finding, "silent") == 0);
    CHECK(std::abs(reading(finding, "rtt_min") - 0.1) < 1e-9);
    CHECK(std::abs(reading(finding, "rtt_avg") - 0.12) < 1e-9);
    CHECK(std::abs(reading(finding, "rtt_max") - 0.3) < 1e-9);
    CHECK_THAT(finding.evidence, ContainsSubstring("alive: 10.0.0.1-10.0.0.10\n"));
    CHECK(finding.evidence.find("10.0.0.2:") == std::string::npos);
}

TEST_CASE("a silent address fails, unless fewer must answer") {
    auto finding = with({});
    CHECK(finding.verdict.cause == "names.some-silent");
    CHECK(finding.verdict.values["first"] == "10.0.0.2");
    CHECK_THAT(finding.verdict.reason, ContainsSubstring("1 of 10"));
    CHECK_THAT(finding.evidence, ContainsSubstring("alive: 10.0.0.1, 10.0.0.3-10.0.0.10\nsilent: 10.0.0.2\n"));
    CHECK_THAT(finding.evidence, ContainsSubstring("10.0.0.2: silent\n"));
    auto question = about({"10.0.0.1-10.0.0.10"});
    question.min_alive = 0.9;
    CHECK(with({}, question).verdict.outcome == Outcome::pass);
    question.min_alive = 0.91;
    CHECK(with({}, question).verdict.cause == "names.some-silent");
}

TEST_CASE("an answer after the timeout does not count as one, and is told") {
    SweepAnswer answer;
    answer.overdue = 1;
    const auto finding = with(answer);
    CHECK(finding.verdict.cause == "names.some-silent");
    CHECK_THAT(finding.evidence, ContainsSubstring("10.0.0.2: silent; answered after the timeout\n"));
}

TEST_CASE("whoever refuses for a silent address is named") {
    SweepAnswer answer;
    answer.refusal.emplace().type = 3;
    answer.refusal->code = 13;
    answer.refusal->sender = at("10.0.0.254");
    CHECK_THAT(with(answer).evidence,
               ContainsSubstring("10.0.0.2: silent; administratively prohibited (type 3, code 13) from 10.0.0.254\n"));
}

TEST_CASE("nobody answers is another cause than one who does not; a single silent address is not nobody") {
    FakeWorld world;
    world.swept = {{"10.0.0.1", {}}, {"10.0.0.2", {}}};
    CHECK(judge_sweep(about({"10.0.0.1", "10.0.0.2"}), world).verdict.cause == "names.none-answers");
    CHECK(judge_sweep(about({"10.0.0.1"}), world).verdict.cause == "names.some-silent");
    CHECK(judge_sweep(about({"10.0.0.1-10.0.0.3"}), world).verdict.cause == "names.some-silent");
    auto question = about({"10.0.0.1", "10.0.0.2"});
    question.min_alive = 0;  // only counted
    const auto finding = judge_sweep(question, world);
    CHECK(finding.verdict.outcome == Outcome::pass);
    CHECK_THAT(finding.verdict.reason, ContainsSubstring("0 of 2 answered"));
}

TEST_CASE("late, doubled and lossy answers warn; one within its limits does not") {
    CHECK(with(FakeWorld::alive(1, 99ms)).verdict.outcome == Outcome::pass);
    const auto late = with(FakeWorld::alive(1, 101ms));
    CHECK(late.verdict.outcome == Outcome::warn);
    CHECK(late.verdict.cause == "names.late");
    CHECK_THAT(late.verdict.reason, ContainsSubstring("10.0.0.2"));
    CHECK(reading(late, "late") == 1);

    auto answer = FakeWorld::alive(1, 100us);
    answer.duplicates = 1;
    const auto doubled = with(answer);
    CHECK(doubled.verdict.outcome == Outcome::warn);
    CHECK(doubled.verdict.cause == "names.duplicates");
    CHECK(reading(doubled, "duplicates") == 1);

    auto question = about({"10.0.0.1-10.0.0.10"});
    question.plan.count = 3;
    CHECK(with(FakeWorld::alive(3, 100us), question).verdict.outcome == Outcome::pass);
    const auto lossy = with(FakeWorld::alive(2, 100us), question);
    CHECK(lossy.verdict.cause == "names.loss");
    CHECK(reading(lossy, "alive") == 10);
    CHECK_THAT(lossy.evidence, ContainsSubstring("10.0.0.2: 2 of 3 probes answered\n"));
}

TEST_CASE("what this machine would not send is no silence, and each reason has its cause") {
    CHECK(with(unsent(EPERM)).verdict.cause == "names.blocked-here");
    CHECK(with(unsent(ENETUNREACH)).verdict.cause == "names.no-route");
    CHECK(with(unsent(EHOSTUNREACH)).verdict.cause == "names.no-route");
    CHECK(with(unsent(ENOBUFS)).verdict.cause == "names.no-buffers");
    const auto finding = with(unsent(ENODEV));
    CHECK(finding.verdict.cause == "names.send-failed");
    CHECK(finding.verdict.outcome == Outcome::fail);
    CHECK(reading(finding, "silent") == 0);
    CHECK_THAT(finding.evidence, ContainsSubstring("10.0.0.2: not sent"));
    auto question = about({"10.0.0.1-10.0.0.10"});
    question.min_alive = 0.5;
    CHECK(with(unsent(EPERM), question).verdict.outcome == Outcome::warn);
}

TEST_CASE("with answers dropped here nobody is called silent; dropped packets beside full answers are nothing") {
    FakeWorld world;
    world.dropped = 3;
    CHECK(judge_sweep(about({"10.0.0.1-10.0.0.10"}), world).verdict.outcome == Outcome::pass);
    world.swept["10.0.0.2"] = {};
    CHECK(judge_sweep(about({"10.0.0.1-10.0.0.10"}), world).verdict.cause == "names.answers-dropped");
}

TEST_CASE("names are looked up, and swept with every address that a route leads to") {
    FakeWorld world;
    world.knows("node-b", {"10.10.0.2", "2001:db8::2"});
    world.swept["10.10.0.2"] = {};
    const auto finding = judge_sweep(about({"node-b", "10.10.0.3"}), world);
    CHECK(world.sent_to == std::set<std::string>{"10.10.0.2", "10.10.0.3"});
    CHECK_THAT(finding.evidence, ContainsSubstring("node-b 10.10.0.2: silent\n"));
    const auto unknown = judge_sweep(about({"10.10.0.3", "node-x"}), world);
    CHECK(unknown.verdict.cause == "names.unknown");
    CHECK(unknown.verdict.values["name"] == "node-x");
}

TEST_CASE("a resolver that is slow for every name ends the sweep, not the deadline") {
    FakeWorld world;
    world.knows("node-b", {"10.10.0.2"});
    auto question = about({"node-b"});
    question.names_patience = -1ns;
    CHECK(judge_sweep(question, world).verdict.cause == "names.resolver-failed");
    CHECK(world.sent_to.empty());
}

TEST_CASE("thousands of silent addresses fill neither the sentence nor the record") {
    FakeWorld world;
    const auto all = addresses_of("10.4.0.0/18", 65536).value();
    for (const auto& address : all)
        if (address.text().back() % 2 == 0) world.swept[address.text()] = {};
    auto question = about({"10.4.0.0/18"});
    question.most = 65536;
    const auto finding = judge_sweep(question, world);
    CHECK(finding.verdict.cause == "names.some-silent");
    CHECK(finding.verdict.reason.size() < 400);
    CHECK(finding.evidence.size() < 200000);
    CHECK_THAT(finding.evidence, ContainsSubstring("more addresses with a remark"));
}

}  // namespace sweep_test
