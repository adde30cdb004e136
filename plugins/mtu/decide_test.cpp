#include "decide.hpp"

#include <cerrno>

#include "catch.hpp"
#include "twin.hpp"

using namespace mtu;

namespace {

// The findings of a search through `twin` for 9000 bytes, on one link, before anybody else was asked.
Findings findings(Twin& twin) {
    Findings f;
    f.name = "node-b";
    f.address = "10.0.9.9";
    f.source = "10.0.0.1";
    f.interface = "fabric0";
    f.intended = 9000;
    const Sizes sizes{9000, 68, 3};
    ask_intended(twin, sizes, f.ledger);
    if (twin.routers > 0) {
        f.gateway = "10.0.1.1";
        if (f.ledger.routers().empty()) f.trace = trace(twin, 68, 9000, f.ledger);
    }
    f.found = narrow(twin, sizes, f.ledger);
    return f;
}

}  // namespace

TEST_CASE("a silent device on the link is told from a small far interface by the peer's segment size") {
    Twin twin;
    Findings f = findings(twin);
    f.forward_carries = false;
    CHECK(decide(f).cause == "mtu.path-or-far-smaller");
    f.far_end = FarEnd{22, 9000, true};
    CHECK(decide(f).cause == "mtu.path-smaller");
    f.far_end = FarEnd{22, 1500, true};
    CHECK(decide(f).cause == "mtu.far-interface-smaller");
    f.far_end = FarEnd{22, 1500, false};  // only what our own cached path MTU allows
    CHECK(decide(f).cause == "mtu.path-or-far-smaller");
    f.far_end = FarEnd{22, 4000, true};  // smaller than planned, but not what limits the path
    CHECK(decide(f).cause == "mtu.path-smaller");
    f.far_end = FarEnd{22, 1496, true};  // lowered: 1500 bytes came back whole
    CHECK(decide(f).cause == "mtu.path-or-far-smaller");
    CHECK(decide(f).values["carries"] == 1500);
    CHECK_THAT(summary(f), ContainsSubstring("8972-byte probe lost 3 of 3; 1472-byte probe answered in 0.1 ms; no router spoke"));
}

TEST_CASE("a size that this machine's own firewall refuses is not blamed on a device on the way") {
    Twin twin;
    Findings f = findings(twin);
    f.far_end = FarEnd{22, 9000, true};
    mtu::Outcome refused;
    refused.probe.bytes = 9000;
    refused.kind = Kind::local;
    refused.error = EPERM;
    f.ledger.add({refused});
    CHECK(decide(f).cause == "mtu.blocked-here");
}

TEST_CASE("IPv6 probes are counted with their longer header") {
    Twin twin;
    Findings f = findings(twin);
    f.v6 = true;
    CHECK_THAT(summary(f), ContainsSubstring("8952-byte probe lost 3 of 3; 1452-byte probe"));
}

TEST_CASE("large packets that arrive and only fail to return are not blamed on the way there") {
    Twin twin;
    Findings f = findings(twin);
    f.far_end = FarEnd{22, 9000, true};
    f.forward_carries = true;
    CHECK(decide(f).cause == "mtu.return-smaller-or-filtered");
    f.forward_carries = false;
    CHECK(decide(f).cause == "mtu.path-smaller");
}

TEST_CASE("where nothing but echo is answered, no direction is blamed") {
    Twin twin;
    Findings f = findings(twin);
    CHECK(decide(f).cause == "mtu.path-or-return-smaller");
    f.small_arrives = true;  // and the large one neither arrives nor is surely lost
    f.far_end = FarEnd{22, 9000, true};
    CHECK(decide(f).cause == "mtu.path-or-return-smaller");
    CHECK_THAT(decide(f).reason, !ContainsSubstring("does not arrive"));
    Twin last;  // every router answers large packets; the destination's answer is large itself
    last.routers = last.narrow_behind = 2;
    Findings behind = findings(last);
    CHECK(decide(behind).cause == "mtu.path-or-return-smaller");
    behind.forward_carries = false;
    CHECK(decide(behind).cause == "mtu.black-hole");
    CHECK_THAT(decide(behind).reason, ContainsSubstring("10.0.2.1 still answers large packets, 10.0.9.9 does not"));
    behind.forward_carries = true;
    CHECK(decide(behind).cause == "mtu.return-smaller-or-filtered");
}

TEST_CASE("a router that never answers is not said to answer") {
    Twin twin;
    twin.routers = 3;
    twin.narrow_behind = 0;
    Findings f = findings(twin);
    f.trace->hops[0] = Hop{};
    const auto verdict = decide(f);
    CHECK(verdict.cause == "mtu.black-hole");
    CHECK_THAT(verdict.reason, ContainsSubstring("large packets do not reach 10.0.2.1 (hop 2), the first router that answers any"));
    CHECK_THAT(verdict.reason, !ContainsSubstring("still answers"));
}

TEST_CASE("a fragmented answer is the way back, a whole one is a pass") {
    Twin twin;
    twin.mtu = 9000;
    CHECK(decide(findings(twin)).outcome == diag::Outcome::pass);
    Twin back;
    back.mtu = 9000;
    back.return_mtu = 1500;
    const auto verdict = decide(findings(back));
    CHECK(verdict.cause == "mtu.return-smaller");
    CHECK(verdict.values["return_mtu"] == 1500);
    CHECK_THAT(verdict.reason, ContainsSubstring("carries 1500 to 1507 bytes"));
    back.return_mtu = 8996;  // of an interface of 8996, 8997, 8998 or 8999 bytes
    CHECK_THAT(decide(findings(back)).reason,
               ContainsSubstring("its interface, its route back or a path MTU that it has cached carries 8996 to 8999"));
}

TEST_CASE("the route's own MTU is named where the path is fine, and not blamed where the path is smaller") {
    Twin twin;
    twin.mtu = 9000;
    Findings f = findings(twin);
    f.route_mtu = 1500;
    CHECK(decide(f).cause == "mtu.route-smaller");
    f.route_mtu = 9000;
    CHECK(decide(f).outcome == diag::Outcome::pass);
    Twin small;
    Findings g = findings(small);
    g.route_mtu = 1500;
    g.forward_carries = false;
    CHECK(decide(g).cause == "mtu.path-or-far-smaller");
}

TEST_CASE("a cached path MTU is named and changes no verdict") {
    Twin twin;
    twin.mtu = 9000;
    Findings f = findings(twin);
    f.cached_mtu = 1500;
    CHECK(decide(f).outcome == diag::Outcome::pass);
    CHECK_THAT(decide(f).reason, ContainsSubstring("a cached path MTU of 1500 bytes"));
}

TEST_CASE("a router that speaks is named, and the reader learns whether it is right") {
    const auto said = [](std::int64_t says) {
        Twin twin;
        twin.routers = 1;
        twin.narrow_behind = 1;
        twin.says = says;
        return decide(findings(twin));
    };
    CHECK(said(1500).cause == "mtu.router-smaller");
    CHECK(said(1500).values["router"] == "10.0.0.254");
    CHECK_THAT(said(1500).reason, ContainsSubstring("which is true"));
    CHECK_THAT(said(1400).reason, ContainsSubstring("but 1500 bytes do pass"));
    CHECK_THAT(said(4000).reason, ContainsSubstring("not even that arrives"));
    CHECK_THAT(said(0).reason, ContainsSubstring("without saying"));
}

TEST_CASE("of two routers that speak, the one whose word is true is named, and the other one as well") {
    Twin twin;
    twin.mtu = 3000;
    Findings f = findings(twin);
    f.gateway = "10.0.1.1";
    const auto say = [&](const std::string& who, std::int64_t size) {
        mtu::Outcome o;
        o.probe.bytes = 9000;
        o.kind = Kind::too_big;
        o.sender = who;
        o.said = size;
        f.ledger.add({o});
    };
    say("10.0.1.1", 6000);
    CHECK(decide(f).values["router"] == "10.0.1.1");
    say("10.0.2.1", 3000);
    say("10.0.3.1", 0);
    CHECK(decide(f).values["router"] == "10.0.2.1");
    CHECK_THAT(decide(f).reason, ContainsSubstring("10.0.2.1 says that its next link carries 3000 bytes, which is true"));
    CHECK_THAT(decide(f).reason, ContainsSubstring("; 10.0.1.1 says 6000, 10.0.3.1 says no size"));
}

TEST_CASE("a segment size is no proof of a small interface, and none at all where larger answers came in one piece") {
    Twin twin;
    twin.mtu = 2000;
    Findings f = findings(twin);
    f.forward_carries = false;
    f.far_end = FarEnd{22, 2000, true};
    CHECK(decide(f).cause == "mtu.far-interface-smaller");
    CHECK_THAT(decide(f).reason, ContainsSubstring("TCP segment size stands for an MTU of 2000 bytes"));
    f.far_end = FarEnd{22, 1500, true};
    CHECK(decide(f).cause == "mtu.path-or-far-smaller");
    CHECK_THAT(decide(f).reason, ContainsSubstring("it has sent 2000 bytes in one piece"));
    Twin slack;  // a far interface of 1500 that takes a little more, and answers that in fragments
    slack.mtu = 1504;
    slack.return_mtu = 1500;
    Findings g = findings(slack);
    g.far_end = FarEnd{22, 1500, true};
    CHECK(decide(g).cause == "mtu.far-interface-smaller");
}

TEST_CASE("behind a router, silence is a black hole that names the last hop that still answers") {
    Twin twin;
    twin.routers = 2;
    twin.narrow_behind = 1;
    const auto verdict = decide(findings(twin));
    CHECK(verdict.cause == "mtu.black-hole");
    CHECK_THAT(verdict.reason, ContainsSubstring("10.0.1.1 still answers large packets, 10.0.2.1 does not"));
}

TEST_CASE("a silent device in front of the first router is not blamed on the router") {
    Twin twin;
    twin.routers = 1;
    twin.narrow_behind = 0;
    const auto verdict = decide(findings(twin));
    CHECK(verdict.cause == "mtu.path-smaller");
    CHECK_THAT(verdict.reason, ContainsSubstring("do not even reach the first router 10.0.1.1"));
}

TEST_CASE("loss is a warning up to its limit, a failure above it, and unclear where the intended size never arrives") {
    Twin twin;
    twin.mtu = 9000;
    twin.loss = 0.4;
    Findings f = findings(twin);
    REQUIRE(f.found == Found::intended);
    f.ledger.add(twin.volley(std::vector<Probe>(10, Probe{9000})));
    CHECK(decide(f).cause == "mtu.path-lossy");
    CHECK(decide(f).outcome == diag::Outcome::fail);
    f.max_loss = 0.9;
    CHECK(decide(f).cause == "mtu.path-lossy");
    CHECK(decide(f).outcome == diag::Outcome::warn);
    f.found = Found::unclear;
    CHECK(decide(f).cause == "mtu.path-unclear");
}

TEST_CASE("volleys that lose much are a limit where each slow probe is answered, and loss where one is not") {
    Twin twin;
    twin.mtu = 9000;
    twin.per_second = 1;
    twin.burst = twin.tokens = 5;
    Findings f = findings(twin);
    f.ledger.add(twin.volley(std::vector<Probe>(20, Probe{9000})));
    f.ledger.add(twin.volley(std::vector<Probe>(20, Probe{9000})));
    f.slowly = Slowly{4, 4};
    CHECK(decide(f).outcome == diag::Outcome::pass);
    CHECK_THAT(decide(f).reason, ContainsSubstring("echo is limited there"));
    Twin chance;
    chance.mtu = 9000;
    chance.loss = 0.4;
    Findings g = findings(chance);
    g.ledger.add(chance.volley(std::vector<Probe>(20, Probe{9000})));
    g.slowly = Slowly{3, 2};
    CHECK(decide(g).cause == "mtu.path-lossy");
    f.found = Found::limited;
    CHECK(decide(f).cause == "mtu.echo-limited");
}

TEST_CASE("a peer that answers nothing is a matter of reachability") {
    Twin twin;
    twin.answers = false;
    CHECK(decide(findings(twin)).cause == "mtu.no-answer");
}

TEST_CASE("a refusal of our own kernel's is not said to be somebody else's, nor a prohibition to be a firewall's alone") {
    Twin twin;
    twin.answers = false;
    const auto refused = [&](const std::string& sender, int code) {
        Findings f = findings(twin);
        mtu::Outcome o;
        o.probe.bytes = 68;
        o.kind = Kind::refused;
        o.sender = sender;
        o.type = 3;
        o.code = code;
        f.ledger.add({o});
        return decide(f).reason;
    };
    CHECK_THAT(refused("10.0.0.1", 1), ContainsSubstring("this machine finds no such neighbour on fabric0"));
    CHECK_THAT(refused("10.0.0.1", 1), !ContainsSubstring("refuses"));
    CHECK_THAT(refused("10.0.0.1", 13), ContainsSubstring("this machine itself refuses the probes"));
    CHECK_THAT(refused("10.0.0.254", 1), ContainsSubstring("10.0.0.254 refuses the probes (ICMP type 3, code 1)"));
    CHECK_THAT(refused("10.0.0.254", 13), ContainsSubstring("prohibited, by a firewall or by a route"));
}

TEST_CASE("a peer that drops echo is told from one that is not there by whatever else it answers") {
    Twin twin;
    twin.answers = false;
    Findings f = findings(twin);
    f.far_end = FarEnd{22, 9000, true};
    CHECK(decide(f).cause == "mtu.echo-filtered");
    CHECK(decide(f).outcome == diag::Outcome::fail);  // nothing was measured
    f.small_arrives = true;
    CHECK(decide(f).cause == "mtu.echo-filtered");
    f.forward_carries = false;
    CHECK(decide(f).cause == "mtu.path-or-far-smaller");
    f.forward_carries = true;
    CHECK(decide(f).cause == "mtu.echo-filtered");
    CHECK(decide(f).outcome == diag::Outcome::warn);
}
