// The plugin as a host sees it, on real sockets: loopback, and a cable between two namespaces where the test may make one.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include <diag/testing.hpp>

#include "catch.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_skip.hpp"
#include "world.hpp"

namespace names_test {

extern "C" const diag_abi* diag_plugin_v1();

using diag::json;
using diag::probe::testing::must;
using diag::probe::testing::NetLab;
using diag::probe::testing::skipped;
using diag::testing::Answer;

static Answer ask(const std::string& check, json params) { return diag::testing::ask(*diag_plugin_v1(), check, std::move(params)); }

static Answer reach(const std::string& address, json more = json::object()) {
    json params = {{"address", address}, {"count", 2}, {"interval", 0.05}, {"timeout", 0.5}};
    params.update(more);
    return ask("reach", params);
}

static void drop(const std::string& what) {
    must("nft add table inet t");
    must("nft add chain inet t c { type filter hook input priority 0 ; }");
    must("nft add rule inet t c " + what);
}

TEST_CASE("every cause that a check names is declared with a meaning, a mover and a remedy") {
    const json catalogue = json::parse(diag_plugin_v1()->describe());
    std::size_t causes = 0;
    for (const auto& check : catalogue["checks"]) {
        for (const auto& cause : check["causes"]) {
            ++causes;
            CHECK(cause["code"].get<std::string>().starts_with("names."));
            CHECK_FALSE(cause["meaning"].get<std::string>().empty());
            CHECK_FALSE(cause["remedy"].get<std::string>().empty());
        }
        CHECK(check["needs"] == (check["name"] == "sweep" ? json::array({"icmp"}) : json::array()));
    }
    CHECK(causes > 20);
}

TEST_CASE("the look tells of the machine at once, and of nothing wrong that is not declared") {
    const json catalogue = json::parse(diag_plugin_v1()->describe());
    std::set<std::string> declared;
    for (const auto& cause : catalogue["look"]["causes"]) declared.insert(cause["code"].get<std::string>());
    for (const auto& check : catalogue["checks"])
        for (const auto& cause : check["causes"]) declared.insert(cause["code"].get<std::string>());
    const auto answer = ask("look", json::object());
    REQUIRE(answer.outcome() == "pass");
    CHECK(answer.events[0]["kind"] == "machine");
    for (const auto& event : answer.events)
        if (event["event"] == "wrong") CHECK(declared.contains(event["cause"].get<std::string>()));
    for (const auto* code : {"names.own-loopback", "names.own-elsewhere", "names.own-unknown", "names.no-servers", "names.local-domain"})
        CHECK(declared.contains(code));
}

TEST_CASE("many silent addresses are looked at side by side, each once") {
    std::atomic<unsigned> sum = 0;
    const auto began = std::chrono::steady_clock::now();
    diag::names::system_world("")->each(40, [&](std::size_t i) {
        sum += static_cast<unsigned>(i);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    });
    CHECK(sum == 39 * 40 / 2);
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(2));  // one after the other: 4 s
}

TEST_CASE("a loopback address resolves, and is no address for a peer") {
    const auto answer = ask("resolve", {{"name", "127.0.0.1"}});
    CHECK(answer.cause() == "names.loopback");
    CHECK(ask("resolve", {{"name", "127.0.0.1"}, {"interface", "no-such-if"}}).cause() == "names.loopback");
    CHECK(ask("resolve", {{"name", "127.0.0.1"}, {"own", "127.0.0.1"}}).cause() == "names.own-loopback");
}

TEST_CASE("an interface that is not there is named, not called unreachable") {
    CHECK(ask("reach", {{"address", "127.0.0.1"}, {"interface", "no-such-if"}}).cause() == "names.no-interface");
}

TEST_CASE("loopback answers, and a count out of range is refused") {
    const auto answer = reach("127.0.0.1", {{"count", 3}});
    CHECK(answer.cause() == "names.own-address");  // measured as any other, and no other machine's
    CHECK(answer.measured("loss") == 0);
    CHECK(answer.measured("rtt_avg") > 0);
}

TEST_CASE("a far host answers over the cable, by both families; its own route tells the interface") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    for (const auto* address : {"10.99.0.2", "fd99::2"}) {
        CHECK(reach(address, {{"interface", "wire"}}).outcome() == "pass");
        CHECK(ask("resolve", {{"name", address}, {"interface", "wire"}}).outcome() == "pass");
    }
    CHECK(reach("10.99.0.1", {{"interface", "wire"}}).cause() == "names.own-address");
    CHECK(reach("fd99::1").cause() == "names.own-address");
    must("ip link add other type veth peer name rehto");
    CHECK(ask("resolve", {{"name", "10.99.0.2"}, {"interface", "other"}}).cause() == "names.wrong-interface");
    CHECK(ask("resolve", {{"name", "10.99.0.1"}, {"interface", "wire"}}).cause() == "names.own-address");
    CHECK(ask("resolve", {{"name", "192.0.2.1"}}).cause() == "names.no-usable-address");
}

TEST_CASE("an unused address on the link has no neighbour, before and after it was known") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    CHECK(reach("10.99.0.77").cause() == "names.no-neighbour");
    CHECK(reach("fd99::77").cause() == "names.no-neighbour");
    for (const auto* address : {"10.99.0.2", "fd99::2"}) {
        REQUIRE(reach(address).outcome() == "pass");  // now the kernel has a fresh entry
        lab.over_there(std::string("ip addr del ") + address + (address[0] == '1' ? "/24" : "/64") + " dev wire");
        CHECK(reach(address).cause() == "names.no-neighbour");
    }
}

TEST_CASE("no route is told, also over an interface that has none") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    CHECK(reach("192.0.2.1").cause() == "names.no-route");
    CHECK(reach("192.0.2.1", {{"interface", "wire"}}).cause() == "names.no-route");
    CHECK(reach("2001:db8::1", {{"interface", "wire"}}).cause() == "names.no-route");
    must("ip route add prohibit 192.0.2.1");
    CHECK(reach("192.0.2.1").cause() == "names.no-route");
    must("ip route add blackhole 192.0.2.2");
    CHECK(reach("192.0.2.2").cause() == "names.no-route");
    must("ip -6 route add prohibit 2001:db8::2");
    CHECK(reach("2001:db8::2").cause() == "names.no-route");
}

TEST_CASE("a firewall that rejects is told from one that drops, and both from our own") {
    if (skipped(NetLab::missing(true))) return;
    NetLab lab;
    lab.there();
    drop("icmp type echo-request reject with icmp type admin-prohibited");
    must("nft add rule inet t c icmpv6 type echo-request drop");
    lab.here();
    const auto rejected = reach("10.99.0.2");
    CHECK(rejected.cause() == "names.rejected");
    CHECK(rejected.verdict["values"]["sender"] == "10.99.0.2");
    CHECK_THAT(rejected.reason(), ContainsSubstring("by a firewall or by a route that prohibits it"));
    CHECK(reach("fd99::2").cause() == "names.echo-filtered");  // its TCP port 22 refuses: alive
    lab.over_there("nft add rule inet t c meta l4proto tcp drop");
    CHECK(reach("fd99::2").cause() == "names.silent");
    must("nft add table inet t");
    must("nft add chain inet t c { type filter hook output priority 0 ; }");
    must("nft add rule inet t c ip daddr 10.99.0.2 drop");
    CHECK(reach("10.99.0.2").cause() == "names.blocked-here");
}

TEST_CASE("a firewall that drops all of IP is no unplugged machine, although it drops neighbour discovery as well") {
    if (skipped(NetLab::missing(true))) return;
    NetLab lab;
    lab.there();
    drop("iifname wire drop");  // ARP is not IP, and passes
    lab.here();
    CHECK(reach("fd99::2").cause() == "names.no-neighbour");
    CHECK(reach("10.99.0.2").cause() == "names.silent");
}

// The near ends stay here, and the far ones go to whoever answers: two cables between the same two machines.
static void second_cable(NetLab& lab) {
    lab.there();
    const diag::base::Fd far(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
    lab.here();
    must("ip link add second type veth peer name far");
    must("ip link set dev far netns /proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(far.get()));
    must("ip addr add 10.98.0.1/24 dev second");
    must("ip link set second up");
    lab.over_there("ip link set dev far name second");
    lab.over_there("ip addr add 10.98.0.2/24 dev second");
    lab.over_there("ip link set second up");
}

static void no_reverse_path_filter() {
    for (const auto* name : {"all", "wire", "second"}) std::ofstream(std::string("/proc/sys/net/ipv4/conf/") + name + "/rp_filter") << "0";
}

TEST_CASE("answers that come back by another cable are told as the far end's way back, not as two interfaces in one network") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    second_cable(lab);
    no_reverse_path_filter();
    lab.there();
    no_reverse_path_filter();
    lab.here();
    const json over = {{"interface", "wire"}};
    CHECK(reach("10.99.0.2", over).outcome() == "pass");
    lab.over_there("ip route add 10.99.0.1/32 via 10.98.0.1 dev second");
    const auto answer = reach("10.99.0.2", over);
    CHECK(answer.cause() == "names.answers-return-elsewhere");
    CHECK(answer.verdict["values"]["own"] == "10.99.0.1");
    lab.over_there("ip route del 10.99.0.1/32");
    must("ip route add 10.99.0.2/32 via 10.98.0.2 dev second");  // the twin: it is our own way that leads elsewhere
    CHECK(reach("10.99.0.2", over).outcome() == "pass");
    lab.over_there("ip route add 10.99.0.1/32 via 10.98.0.1 dev second");
    CHECK(reach("10.99.0.2", over).cause() == "names.answers-elsewhere");
}

TEST_CASE("a link-local address answers on the interface that is given beside it or in it, and without one is told as such") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    const std::string there = "fe80::b";
    must("ip addr add fe80::a/64 dev wire nodad");
    lab.over_there("ip addr add fe80::b/64 dev wire nodad");
    CHECK(reach(there, {{"interface", "wire"}}).outcome() == "pass");
    CHECK(reach(there + "%wire").outcome() == "pass");
    CHECK(reach(there).cause() == "names.link-local");
    CHECK(ask("resolve", {{"name", there}, {"interface", "wire"}, {"address", there}}).outcome() == "pass");
    CHECK(ask("resolve", {{"name", there}}).cause() == "names.link-local");
    CHECK(reach("fe80::7777", {{"interface", "wire"}}).cause() == "names.no-neighbour");
}

TEST_CASE("a rule by source address is seen: programs that find no way, and those that are led elsewhere") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    second_cable(lab);
    const json over = {{"interface", "wire"}}, named = {{"name", "10.99.0.2"}, {"interface", "wire"}};
    must("ip route add table 77 blackhole default");
    must("ip rule add from 10.98.0.1 lookup 77");  // the twin: a rule for another address
    CHECK(reach("10.99.0.2", over).outcome() == "pass");
    CHECK(ask("resolve", named).outcome() == "pass");
    must("ip rule add from 10.99.0.1 lookup 77");
    for (const auto& answer : {reach("10.99.0.2", over), reach("10.99.0.2")}) {
        CHECK(answer.cause() == "names.no-route");
        CHECK_THAT(answer.reason(), ContainsSubstring("ip route get 10.99.0.2 from 10.99.0.1"));
    }
    CHECK(ask("resolve", named).cause() == "names.no-usable-address");
    must("ip route replace table 77 default via 10.98.0.77 dev second");  // nobody is there
    const auto elsewhere = ask("resolve", named);
    CHECK(elsewhere.cause() == "names.route-elsewhere");
    CHECK_THAT(elsewhere.reason(), ContainsSubstring("leads what comes from 10.99.0.1 by second"));
    CHECK(reach("10.99.0.2").cause() == "names.no-gateway");  // as programs go
}

TEST_CASE("an interface in a bridge or a bond is asked by what has its addresses") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    must("ip link add br9 type bridge");
    must("ip link set br9 up");
    must("ip addr flush dev wire");
    must("ip link set wire master br9");
    must("ip addr add 10.99.0.1/24 dev br9");
    ::usleep(300'000);
    CHECK(ask("resolve", {{"name", "10.99.0.2"}, {"interface", "wire"}}).outcome() == "pass");
    CHECK(reach("10.99.0.2", {{"interface", "wire"}}).outcome() == "pass");
    CHECK(reach("10.99.0.77", {{"interface", "wire"}}).cause() == "names.no-neighbour");
    CHECK(reach("192.0.2.1", {{"interface", "wire"}}).cause() == "names.no-route");
}

TEST_CASE("a dead host behind a router is told by the router, and a silent one is not said to be on the link") {
    if (skipped(NetLab::missing(true))) return;
    NetLab lab;
    lab.there();
    std::ofstream("/proc/sys/net/ipv4/ip_forward") << "1";
    must("ip link add stub type veth peer name stubend");
    must("ip addr add 192.0.2.254/24 dev stub");
    must("ip link set stub up");
    must("ip link set stubend up");
    drop("ip daddr 192.0.2.254 drop");
    lab.here();
    must("ip route add 192.0.2.0/24 via 10.99.0.2");
    const auto dead = reach("192.0.2.1");
    CHECK(dead.cause() == "names.unreachable");
    CHECK(dead.verdict["values"]["sender"] == "10.99.0.2");
    const auto silent = reach("192.0.2.254");
    CHECK(silent.cause() == "names.silent");
    CHECK_THAT(silent.reason(), ContainsSubstring("the router 10.99.0.2 on the way to it is on its link"));
}

TEST_CASE("a limit on the rate of echo is no broken wire, and every third packet lost is") {
    if (skipped(NetLab::missing(true))) return;
    NetLab lab;
    lab.there();
    drop("icmp type echo-request limit rate over 1/second burst 5 packets drop");
    lab.here();
    const json twenty = {{"count", 20}, {"interval", 0.1}};
    const auto limited = reach("10.99.0.2", twenty);
    INFO(limited.reason());
    CHECK(limited.cause() == "names.echo-limited");
    CHECK(limited.outcome() == "warn");
    lab.over_there("nft flush chain inet t c");
    lab.over_there("nft add rule inet t c icmp type echo-request numgen inc mod 3 == 0 drop");
    CHECK(reach("10.99.0.2", twenty).cause() == "names.loss");
}

TEST_CASE("a neighbour entry by hand proves nothing of a silent host") {
    if (skipped(NetLab::missing(true))) return;
    NetLab lab;
    must("ip neigh replace 10.99.0.77 lladdr 02:00:00:00:00:77 dev wire nud permanent");
    const auto nobody = reach("10.99.0.77");
    CHECK(nobody.cause() == "names.silent");
    CHECK_THAT(nobody.reason(), ContainsSubstring("not known") && !ContainsSubstring("is on its link"));
    lab.there();
    drop("ip daddr 10.99.0.2 drop");
    lab.here();
    CHECK_THAT(reach("10.99.0.2").reason(), ContainsSubstring("10.99.0.2 is on its link"));
}

TEST_CASE("an empty name or address is a mistake in what was asked, and nothing to look up") {
    for (const auto& params : {json{{"name", ""}}, json{{"address", ""}}})
        for (const auto* check : {"reach", "resolve"}) {
            json all = {{"name", "127.0.0.1"}};
            all.update(params);
            CHECK_THAT(json(ask(check, all).events).dump(), ContainsSubstring("is empty"));
        }
}

TEST_CASE("a router without a route, and one that does not answer, are named") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    lab.there();
    std::ofstream("/proc/sys/net/ipv4/ip_forward") << "1";
    lab.here();
    must("ip route add 192.0.2.0/24 via 10.99.0.2");
    const auto answer = reach("192.0.2.1");
    CHECK(answer.cause() == "names.unreachable");
    CHECK(answer.verdict["values"]["sender"] == "10.99.0.2");
    must("ip route add 198.51.100.0/24 via 10.99.0.77");
    CHECK(reach("198.51.100.1").cause() == "names.no-gateway");
}

}  // namespace names_test
