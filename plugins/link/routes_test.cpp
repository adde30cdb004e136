#include "routes_judge.hpp"

#include "catch.hpp"
#include "fake_world.hpp"
#include "prefixes.hpp"

namespace routes_test {

using namespace diag;
using namespace diag::link;

static RoutesQuestion direct() { return {"wire", "10.10.0.1", "10.10.0.2"}; }

static Verdict ask(FakeWorld& world, const RoutesQuestion& question = direct()) { return judge_routes(question, world).verdict; }

TEST_CASE("two interfaces in two prefixes pass, and the way to the far end is told") {
    FakeWorld world;
    const auto finding = judge_routes(direct(), world);
    CHECK(finding.verdict.outcome == Outcome::pass);
    CHECK(finding.verdict.reason ==
          "wire has 10.10.0.1/24 and fd10::1/64, and shares no prefix with another interface; 10.10.0.2 is reached by wire");
    CHECK(ask(world, {"wire", "fd10::1", "fd10::2"}).outcome == Outcome::pass);
    CHECK(ask(world, {"wire", std::nullopt, std::nullopt}).outcome == Outcome::pass);
    CHECK_THROWS_AS(ask(world, {"none", std::nullopt, std::nullopt}), Absent);
    CHECK_THROWS_AS(ask(world, {"wire", "10.10.0.1/24", std::nullopt}), BadValue);
}

TEST_CASE("a link-local address is the link's own, with its interface written behind it or not") {
    FakeWorld world;
    world.own.push_back({3, at("fe80::1").on(3), 64});
    const std::string whole = at("fe80::1").on(3).text();
    for (const auto& address : {std::string("fe80::1"), whole}) CHECK(ask(world, {"wire", address, std::nullopt}).outcome == Outcome::pass);
    CHECK(ask(world, {"wire", "fe80::2", std::nullopt}).cause == "link.address-absent");
    CHECK(ask(world, {"eth0", "fe80::1", std::nullopt}).cause == "link.address-absent");  // it is that of another link
}

TEST_CASE("two interfaces in one prefix are named with it, whichever of them is asked about") {
    FakeWorld world;
    world.add("second", 4);
    world.has(4, "10.10.0.77", 24);
    const auto verdict = ask(world);
    CHECK(verdict.cause == "link.same-prefix");
    CHECK(verdict.values["other"] == "second");
    CHECK(verdict.values["prefix"] == "10.10.0.0/24");
    CHECK(ask(world, {"second", "10.10.0.77", "10.10.0.2"}).cause == "link.same-prefix");
    CHECK(ask(world, {"eth0", "10.0.0.1", "10.0.0.2"}).outcome == Outcome::pass);  // not its affair
    world.at_name("second").carrier = false;
    CHECK_THAT(ask(world).reason, ContainsSubstring("second has no carrier"));
    world.at_name("second").up = false;  // it has no route then
    CHECK(ask(world).outcome == Outcome::pass);
}

TEST_CASE("the range that interfaces give themselves is called so, and IPv6 counts as well") {
    FakeWorld world;
    world.add("second", 4);
    world.has(3, "169.254.3.1", 16);
    world.has(4, "169.254.4.1", 16);
    CHECK(ask(world).cause == "link.same-prefix");
    CHECK_THAT(ask(world).reason, ContainsSubstring("169.254.0.0/16, the range that interfaces take by themselves"));
    FakeWorld six;
    six.add("second", 4);
    six.has(4, "fd10::77", 64);
    CHECK(ask(six).values["prefix"] == "fd10::/64");
    CHECK_THAT(ask(six).reason, !ContainsSubstring("by themselves"));
}

TEST_CASE("what shares a prefix on purpose is no fault: bridge and member, macvlan, host routes, VRFs, link-local, a nested prefix") {
    const auto passes = [](auto change) {
        FakeWorld world;
        change(world);
        const auto verdict = ask(world);
        INFO(verdict.reason);
        CHECK(verdict.outcome == Outcome::pass);
    };
    passes([](FakeWorld& world) {
        world.add("port", 4).master = 3;
        world.at_name("wire").kind = "bridge";
        world.has(4, "10.10.0.77", 24);
    });
    passes([](FakeWorld& world) {
        world.add("shim", 4, "macvlan").lower = 3;
        world.has(4, "10.10.0.77", 24);
    });
    passes([](FakeWorld& world) {
        world.add("second", 4);
        world.has(4, "10.10.0.77", 32);
        world.has(4, "fe80::1%4", 64);
        world.has(3, "fe80::1%3", 64);
    });
    passes([](FakeWorld& world) {
        world.add("red", 9, "vrf");
        world.add("second", 4).master = 9;
        world.has(4, "10.10.0.77", 24);
    });
    passes([](FakeWorld& world) {
        world.add("second", 4);
        world.has(4, "10.10.200.1", 16);
    });
}

TEST_CASE("a VLAN in the prefix of the interface below is a fault: they are two networks") {
    FakeWorld world;
    world.add("wire.5", 4, "vlan").lower = 3;
    world.has(4, "10.10.0.77", 24);
    CHECK(ask(world).cause == "link.same-prefix");
}

TEST_CASE("two interfaces of one prefix that rules by source keep apart are no fault") {
    FakeWorld world;
    world.add("second", 4);
    world.has(4, "10.10.0.77", 24);
    world.forced_from = {{"10.10.0.1", "wire"}, {"10.10.0.77", "second"}};
    CHECK(ask(world).outcome == Outcome::pass);
    world.forced_from = {{"10.10.0.1", "wire"}, {"10.10.0.77", "wire"}};
    CHECK(ask(world).cause == "link.same-prefix");
}

// wire shares one prefix with "apart", which rules by source keep apart from it, and another with "crossing".
struct TwoShared : FakeWorld {
    TwoShared() {
        add("apart", 4);
        add("crossing", 5);
        has(4, "10.10.0.77", 24);
        has(3, "10.2.0.1", 24);
        has(5, "10.2.0.3", 24);
        forced_from = {{"10.10.0.1", "wire"}, {"10.10.0.77", "apart"}};
    }
};

TEST_CASE("a prefix that is shared without harm hides no other one, and is told where nothing else is wrong") {
    TwoShared world;
    const auto verdict = ask(world);
    CHECK(verdict.cause == "link.same-prefix");
    CHECK(verdict.values["other"] == "crossing");
    CHECK(verdict.values["prefix"] == "10.2.0.0/24");
    CHECK(ask(world, {"crossing", std::nullopt, std::nullopt}).cause == "link.same-prefix");
    CHECK(ask(world, {"apart", std::nullopt, std::nullopt}).outcome == Outcome::pass);
    world.at_name("crossing").up = false;
    const auto passed = ask(world, {"wire", std::nullopt, std::nullopt});
    CHECK(passed.outcome == Outcome::pass);
    CHECK_THAT(passed.reason, ContainsSubstring("shares 10.10.0.0/24 with apart, from which rules by source keep it apart"));
    CHECK_THAT(passed.reason, !ContainsSubstring("no prefix"));
}

TEST_CASE("every interface in the prefix is named, and every prefix that is shared") {
    FakeWorld world;
    for (const unsigned i : {4U, 5U}) {
        world.add("port" + std::to_string(i), i);
        world.has(i, "10.10.0.7" + std::to_string(i), 24);
    }
    world.has(3, "10.2.0.1", 24);
    world.has(5, "10.2.0.3", 24);
    const auto verdict = ask(world);
    CHECK(verdict.values["other"] == "port4 and port5");
    CHECK(verdict.values["prefix"] == "10.10.0.0/24 and 10.2.0.0/24");
    CHECK_THAT(verdict.reason, ContainsSubstring("wire (10.10.0.1), port4 (10.10.0.74) and port5 (10.10.0.75) are all in 10.10.0.0/24"));
}

TEST_CASE("an own address inside another interface's narrower prefix is a clash, and a narrower one elsewhere is not") {
    FakeWorld world;
    world.add("second", 4);
    world.has(4, "10.10.0.3", 25);  // and 10.10.0.1/24 is in it
    CHECK(ask(world).cause == "link.same-prefix");
    CHECK(ask(world).values["prefix"] == "10.10.0.0/25");
    CHECK(ask(world, {"second", std::nullopt, std::nullopt}).cause == "link.same-prefix");
    FakeWorld beside;
    beside.add("second", 4);
    beside.has(4, "10.10.0.129", 25);
    CHECK(ask(beside, {"wire", std::nullopt, std::nullopt}).outcome == Outcome::pass);
}

TEST_CASE("the network of a point-to-point address is that of its other end") {
    FakeWorld world;
    world.add("tunnel", 4, "tun");
    world.own.push_back({4, at("10.10.0.77"), 24, at("10.50.0.5")});
    CHECK(ask(world).outcome == Outcome::pass);
    CHECK_THAT(ask(world, {"tunnel", "10.10.0.77", std::nullopt}).reason, ContainsSubstring("tunnel has 10.10.0.77 peer 10.50.0.5/24"));
    CHECK(network_of(world.own.back()) == "10.50.0.0/24");
    world.add("second", 5);
    world.has(5, "10.50.0.9", 24);
    CHECK(ask(world, {"second", std::nullopt, std::nullopt}).values["other"] == "tunnel");
}

TEST_CASE("a far end's address that no machine can have is told as one") {
    FakeWorld world;
    const auto of = [&](const std::string& peer) { return ask(world, {"wire", std::nullopt, peer}); };
    CHECK(of("10.10.0.255").cause == "link.peer-no-host");
    CHECK_THAT(of("10.10.0.255").reason, ContainsSubstring("is the broadcast address of 10.10.0.0/24"));
    CHECK_THAT(of("10.10.0.0").reason, ContainsSubstring("is the network address of 10.10.0.0/24"));
    for (const char* other : {"224.0.0.1", "ff02::1", "0.0.0.0", "::", "255.255.255.255", "127.0.0.2", "::1"}) {
        INFO(other);
        CHECK(of(other).cause == "link.peer-no-host");
    }
    CHECK(of("10.10.0.254").outcome == Outcome::pass);
    world.own[2] = {3, at("10.10.0.1"), 31};  // a network of two has neither (RFC 3021)
    CHECK(of("10.10.0.0").outcome == Outcome::pass);
    world.own[2] = {3, at("10.10.0.1"), 23};
    CHECK(of("10.10.0.255").outcome == Outcome::pass);
    CHECK(of("fd10::ff").outcome == Outcome::pass);
}

TEST_CASE("a bridge for containers in a link's prefix is named as one, and one with hardware in it is not") {
    FakeWorld world;
    world.add("docker0", 4, "bridge").carrier = false;
    world.has(4, "10.10.0.1", 16);  // contains the link's
    const auto verdict = ask(world);
    CHECK(verdict.cause == "link.container-bridge");
    CHECK(verdict.values["bridge"] == "docker0");
    world.add("vethc", 5, "veth").master = 4;
    CHECK(ask(world).cause == "link.container-bridge");
    world.add("eno9", 6).master = 4;
    CHECK(ask(world).cause != "link.container-bridge");
    FakeWorld healthy;
    healthy.add("docker0", 4, "bridge");
    healthy.has(4, "172.17.0.1", 16);
    CHECK(ask(healthy).outcome == Outcome::pass);
    CHECK(ask(healthy, {"wire", "172.17.0.1", std::nullopt}).cause == "link.container-bridge");
    CHECK(ask(healthy, {"wire", "10.10.0.1", "172.17.0.1"}).cause == "link.container-bridge");
    CHECK(ask(healthy, {"wire", "10.10.0.1", "172.17.0.5"}).cause == "link.container-bridge");
}

TEST_CASE("a link's own bridge is no bridge for containers, although only virtual interfaces are in it") {
    FakeWorld world;
    world.add("br0", 4, "bridge");
    world.at_name("wire").kind = "veth";
    world.at_name("wire").master = 4;
    std::erase_if(world.own, [](const auto& own) { return own.interface == 3; });
    world.has(4, "10.10.0.1", 24);
    CHECK(ask(world).outcome == Outcome::pass);
}

TEST_CASE("the own address: nowhere, on another interface, on the link's bridge") {
    FakeWorld world;
    const auto absent = ask(world, {"wire", "10.10.0.9", "10.10.0.2"});
    CHECK(absent.cause == "link.address-absent");
    CHECK_THAT(absent.reason, ContainsSubstring("wire has 10.10.0.1/24 and fd10::1/64"));
    const auto elsewhere = ask(world, {"wire", "10.0.0.1", "10.10.0.2"});
    CHECK(elsewhere.cause == "link.address-elsewhere");
    CHECK(elsewhere.values["found"] == "eth0");
    world.add("port", 4).master = 3;
    world.at_name("wire").kind = "bridge";
    CHECK(ask(world, {"port", "10.10.0.1", "10.10.0.2"}).outcome == Outcome::pass);
}

TEST_CASE("the far end's address here, without a route, and by another interface are three causes") {
    FakeWorld world;
    const auto own = ask(world, {"wire", "10.10.0.1", "10.0.0.1"});
    CHECK(own.cause == "link.peer-own-address");
    CHECK(own.values["found"] == "eth0");
    CHECK(ask(world, {"wire", "10.10.0.1", "192.0.2.1"}).cause == "link.no-route");
    world.forced["10.10.0.2"] = "eth0";
    const auto elsewhere = ask(world);
    CHECK(elsewhere.cause == "link.route-elsewhere");
    CHECK(elsewhere.values["other"] == "eth0");
    world.forced.clear();
    world.forced_from["10.10.0.1"] = "eth0";  // right without a source, wrong with it
    CHECK(ask(world).cause == "link.route-elsewhere");
    CHECK_THAT(ask(world).reason, ContainsSubstring("from 10.10.0.1 to 10.10.0.2"));
    CHECK(ask(world, {"wire", std::nullopt, "10.10.0.2"}).outcome == Outcome::pass);
}

TEST_CASE("a far end's address in the network of another interface is a wrong address, and no route to remove") {
    FakeWorld world;
    const RoutesQuestion slip{"wire", "10.10.0.1", "10.0.0.2"};
    const auto verdict = ask(world, slip);
    CHECK(verdict.cause == "link.peer-other-network");
    CHECK(verdict.values.at("other") == "eth0");
    CHECK(verdict.reason ==
          "10.0.0.2, the far end's address, lies in 10.0.0.0/24 of eth0 and in no network of wire, which has 10.10.0.1/24 and fd10::1/64");
    CHECK(ask(world, {"wire", std::nullopt, "10.0.0.2"}).cause == "link.peer-other-network");
    world.sysctl("all", "1");  // the strict filter drops, too, and is not what is wrong
    CHECK(ask(world, slip).cause == "link.peer-other-network");
    world.forced["10.0.0.2"] = "wire";  // a host route over the link: it is meant
    CHECK(ask(world, slip).outcome == Outcome::pass);
}

TEST_CASE("an address in the networks of both, or of neither, that is led away is a matter of routes") {
    FakeWorld nested;
    nested.has(2, "10.10.200.1", 16);
    CHECK(ask(nested).outcome == Outcome::pass);
    nested.forced["10.10.0.2"] = "eth0";
    CHECK(ask(nested).cause == "link.route-elsewhere");
    FakeWorld neither;
    neither.forced["192.0.2.1"] = "eth0";
    CHECK(ask(neither, {"wire", "10.10.0.1", "192.0.2.1"}).cause == "link.route-elsewhere");
}

TEST_CASE("strict reverse-path filtering is blamed only where the route back leaves elsewhere and the filter is strict") {
    FakeWorld world;
    world.sysctl("all", "0");
    world.sysctl("wire", "1");
    CHECK(ask(world).outcome == Outcome::pass);  // strict, and the way back is the right one
    world.forced["10.10.0.2"] = "eth0";
    const auto strict = ask(world);
    CHECK(strict.cause == "link.rp-filter");
    CHECK(strict.values["side"] == "wire");
    world.sysctl("all", "2");  // the larger counts: loose
    CHECK(ask(world).cause == "link.route-elsewhere");
    world.sysctl("wire", "0");
    world.sysctl("all", "1");
    CHECK(ask(world).cause == "link.rp-filter");
    world.sysctl("all", "0");
    CHECK(ask(world).cause == "link.route-elsewhere");
    world.forced = {{"fd10::2", "eth0"}};
    world.sysctl("all", "1");
    CHECK(ask(world, {"wire", "fd10::1", "fd10::2"}).cause == "link.route-elsewhere");  // IPv6 has no such filter
}

TEST_CASE("a network is what is left of an address without its host bits") {
    CHECK(network_of({3, at("10.10.7.200"), 20}) == "10.10.0.0/20");
    CHECK(network_of({3, at("10.10.7.200"), 32}) == "10.10.7.200/32");
    CHECK(network_of({3, at("10.10.7.200"), 0}) == "0.0.0.0/0");
    CHECK(network_of({3, at("fd10:0:0:ff::1"), 60}) == "fd10:0:0:f0::/60");
}

}  // namespace routes_test
