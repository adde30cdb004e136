#include "probe/netlink.hpp"

#include <algorithm>

#include <diag/verdict.hpp>

#include "catch.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_skip.hpp"

using namespace diag;
using namespace diag::probe;

// Loopback is the one interface that every machine, container and build server has.

TEST_CASE("the loopback interface is found by name, by index and in the list, with the same MTU") {
    const Interface lo = interface("lo");
    CHECK(lo.name == "lo");
    CHECK(lo.mtu > 0);
    CHECK(interface(lo.index).name == "lo");
    const auto all = interfaces();
    const auto same = std::find_if(all.begin(), all.end(), [&](const Interface& i) { return i.index == lo.index; });
    REQUIRE(same != all.end());
    CHECK(same->mtu == lo.mtu);
}

TEST_CASE("an interface that is not there is absent, whatever its name looks like, and the nearest is suggested") {
    CHECK_THROWS_AS(interface("no-such-if"), Absent);
    CHECK_THROWS_AS(interface(""), Absent);
    CHECK_THROWS_AS(interface("longer-than-a-kernel-name-may-be"), Absent);
    CHECK_THROWS_AS(interface(std::string(300, 'x')), Absent);
    CHECK_THROWS_AS(interface(std::string("lo\0x", 4)), Absent);
    CHECK_THROWS_AS(interface(0x7ffffff0U), Absent);
    try {
        interface("l0");
        FAIL("l0 exists");
    } catch (const Absent& e) {
        CHECK_THAT(e.what(), ContainsSubstring("did you mean 'lo'"));
    }
}

TEST_CASE("a rule by source address leads a program's packets, although the route without a source is another") {
    if (const auto why = testing::NetLab::missing()) {
        WARN("skipped: " << *why);
        return;
    }
    testing::NetLab lab;
    testing::must("ip link add other type veth peer name rehto");
    testing::must("ip addr add 10.98.0.1/24 dev other");
    testing::must("ip link set other up");
    testing::must("ip link set rehto up");
    const auto there = *Address::parse("10.99.0.2"), six = *Address::parse("fd99::2");
    testing::must("ip rule add from 10.98.0.1 lookup 77");  // the twin: for another address of this machine
    testing::must("ip route add table 77 blackhole default");
    REQUIRE(program_route(there));
    CHECK(program_route(there)->interface_name == "wire");
    CHECK(program_route(there)->source->text() == "10.99.0.1");
    testing::must("ip rule add from 10.99.0.1 lookup 77");
    CHECK(route_to(there));
    CHECK_FALSE(program_route(there));
    testing::must("ip route replace table 77 default via 10.98.0.9 dev other");
    REQUIRE(program_route(there));
    CHECK(program_route(there)->interface_name == "other");
    CHECK(program_route(there)->gateway->text() == "10.98.0.9");
    CHECK(program_route(there)->source->text() == "10.99.0.1");
    testing::must("ip -6 rule add from fd99::1 lookup 77");  // connect() finds its way all the same
    testing::must("ip -6 route add table 77 blackhole default");
    CHECK(program_route(six));
}

TEST_CASE("a member of a bridge has its addresses on the bridge, one of a VRF has them itself") {
    if (const auto why = testing::NetLab::missing()) {
        WARN("skipped: " << *why);
        return;
    }
    testing::NetLab lab;
    CHECK(bearer_of(interface("wire")).name == "wire");
    testing::must("ip link add br9 type bridge");
    testing::must("ip link set wire master br9");
    CHECK(bearer_of(interface("wire")).name == "br9");
    CHECK(bearer_of(interface("br9")).name == "br9");
    if (testing::run({"ip", "link", "add", "vrf9", "type", "vrf", "table", "9"}) != 0) return;  // not in every kernel
    testing::must("ip link set wire master vrf9");
    CHECK(bearer_of(interface("wire")).name == "wire");
}

TEST_CASE("this machine's own address has a local route") {
    const auto own = addresses();
    const bool has_loopback =
        std::any_of(own.begin(), own.end(), [](const InterfaceAddress& a) { return a.address.text() == "127.0.0.1" && a.prefix == 8; });
    if (!has_loopback) {
        WARN("loopback is down here: nothing to look up");
        return;
    }
    const auto route = route_to(*Address::parse("127.0.0.1"));
    REQUIRE(route);
    CHECK(route->local);
    CHECK(route->type == "local");
    CHECK(route->interface_name == "lo");
}

TEST_CASE("a neighbour nobody has asked for is nothing, and an interface that is gone is absent") {
    CHECK_FALSE(neighbour(*Address::parse("198.51.100.77"), interface("lo").index));
    CHECK_THROWS_AS(neighbour(*Address::parse("198.51.100.77"), 0x7ffffff0U), Absent);
    CHECK_THROWS_AS(route_to(*Address::parse("198.51.100.77"), 0x7ffffff0U), Absent);
}

TEST_CASE("a route's own MTU, its lock and its router are read, and a cached path MTU is kept apart from them") {
    if (testing::skipped(testing::NetLab::missing())) return;
    testing::NetLab lab;
    testing::must("ip route add 10.20.0.0/24 via 10.99.0.2 mtu lock 1400");
    testing::must("ip route add fd20::/64 via fd99::2 mtu 1300");
    testing::must("ip route add 10.24.0.0/24 nexthop via 10.99.0.2 nexthop via 10.99.0.3");
    testing::must("ip route add 10.25.0.0/24 via inet6 fe80::1 dev wire");
    const auto locked = route_to(*Address::parse("10.20.0.1"), 0, true);
    REQUIRE(locked);
    CHECK(locked->mtu == 1400);
    CHECK(locked->mtu_locked);
    REQUIRE(locked->gateway);
    CHECK(locked->gateway->text() == "10.99.0.2");
    CHECK(locked->interface_name == "wire");
    CHECK(route_to(*Address::parse("fd20::1"), 0, true)->mtu == 1300);
    CHECK_FALSE(route_to(*Address::parse("10.99.0.2"), 0, true)->mtu);
    CHECK_FALSE(route_to(*Address::parse("10.99.0.2"))->gateway);
    CHECK(route_to(*Address::parse("10.24.0.1"), 0, true)->gateway->text() == "10.99.0.2");
    CHECK(route_to(*Address::parse("10.25.0.1"))->gateway->text() == "fe80::1%wire");
    CHECK(route_to(*Address::parse("10.99.0.1"))->local);
    CHECK(route_to(*Address::parse("10.99.0.2"))->source->text() == "10.99.0.1");
}

TEST_CASE("a route is asked for with the address that the packet comes from, and rules by source count") {
    if (testing::skipped(testing::NetLab::missing())) return;
    testing::NetLab lab;
    testing::must("ip link add other type veth peer name far");
    testing::must("ip link set other up");
    testing::must("ip addr add 10.98.0.1/24 dev other");
    testing::must("ip rule add from 10.98.0.1 lookup 77");
    testing::must("ip route add 10.99.0.0/24 dev other table 77");
    const auto far = *Address::parse("10.99.0.2");
    CHECK(route_to(far)->interface_name == "wire");
    CHECK(route_from(*Address::parse("10.99.0.1"), far)->interface_name == "wire");
    CHECK(route_from(*Address::parse("10.98.0.1"), far)->interface_name == "other");
    CHECK(route_from(*Address::parse("fd99::1"), *Address::parse("fd99::2"))->interface_name == "wire");
}

TEST_CASE("the prefix of a point-to-point address is of the network of its other end") {
    if (const auto why = testing::NetLab::missing()) {
        WARN("skipped: " << *why);
        return;
    }
    testing::NetLab lab;
    testing::must("ip addr add 10.9.0.1 peer 10.50.0.5/24 dev wire");
    testing::must("ip addr add fd09::1 peer fd50::5/64 dev wire");
    std::vector<std::string> all;
    for (const auto& own : addresses()) all.push_back(own.text());
    const auto has = [&](const std::string& text) { return std::find(all.begin(), all.end(), text) != all.end(); };
    CHECK((has("10.9.0.1 peer 10.50.0.5/24") && has("fd09::1 peer fd50::5/64")));
    CHECK((has("10.99.0.1/24") && has("fd99::1/64")));
    for (const auto& own : addresses())
        if (own.address == *Address::parse("10.9.0.1"))
            CHECK((own.holds(*Address::parse("10.50.0.77")) && !own.holds(*Address::parse("10.9.0.2"))));
}

TEST_CASE("no route, and a route that refuses, are nothing for both families, and not an error") {
    if (testing::skipped(testing::NetLab::missing())) return;
    testing::NetLab lab;
    testing::must("ip route add unreachable 10.21.0.0/24");
    testing::must("ip route add prohibit 10.22.0.0/24");
    testing::must("ip route add blackhole 10.23.0.0/24");
    testing::must("ip -6 route add unreachable fd21::/64");
    testing::must("ip -6 route add blackhole fd23::/64");
    for (const char* nowhere : {"10.21.0.1", "10.22.0.1", "10.23.0.1", "192.0.2.1", "fd21::1", "fd23::1", "2001:db8::1"}) {
        INFO(nowhere);
        CHECK_FALSE(route_to(*Address::parse(nowhere)));
        CHECK_FALSE(route_to(*Address::parse(nowhere), 0, true));
    }
}

TEST_CASE("carrier, master, IPv6 MTU, alternative name and neighbour are read as the kernel has them") {
    if (testing::skipped(testing::NetLab::missing())) return;
    testing::NetLab lab;
    // The kernel announces a carrier late, and then sets IPv6's MTU anew.
    for (int tries = 0; tries < 300 && interface("wire").operstate != "up"; ++tries) ::usleep(10'000);
    testing::must("ip link property add dev wire altname a-name-longer-than-sixteen-letters");
    testing::must("ip link add br0 type bridge");
    testing::must("ip link add one mtu 9000 type veth peer name two");
    testing::must("ip link set one master br0");
    testing::must("sysctl -qw net.ipv6.conf.wire.mtu=1400");
    testing::must("ip neigh add 10.99.0.9 lladdr 02:00:5e:10:00:01 dev wire");
    const Interface wire = interface("a-name-longer-than-sixteen-letters");
    CHECK(wire.name == "wire");
    CHECK(wire.kind == "veth");
    CHECK((wire.up && wire.carrier));
    CHECK(wire.operstate == "up");
    CHECK(wire.mtu == 1500);
    CHECK(wire.ipv6_mtu == 1400);
    CHECK(interface("one").master == interface("br0").index);
    CHECK(interface("one").mtu == 9000);
    CHECK_FALSE(interface("one").carrier);
    const auto entry = neighbour(*Address::parse("10.99.0.9"), wire.index);
    REQUIRE(entry);
    CHECK(entry->state == "permanent");
    CHECK(entry->mac == "02:00:5e:10:00:01");
    CHECK(wire.permanent_mac.empty());  // a veth has none of its own
    REQUIRE((wire.counters && wire.carrier_changes));
    const auto changes = *wire.carrier_changes;
    lab.over_there("ip link set wire down");
    CHECK(*interface("wire").carrier_changes > changes);
    CHECK((interface("lo").loopback && !wire.loopback));
    CHECK_FALSE(interface("wire").carrier);
    CHECK(interface("wire").up);
}
