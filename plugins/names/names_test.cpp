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
#include "world.hpp"

namespace names_test {

extern "C" const diag_abi* diag_plugin_v1();

using diag::json;
using diag::probe::testing::must;
using diag::probe::testing::NetLab;
using diag::testing::Answer;

static Answer ask(const std::string& check, json params) { return diag::testing::ask(*diag_plugin_v1(), check, std::move(params)); }

static bool no_lab(bool firewall = false) {
    const auto why = NetLab::missing(firewall);
    if (why) WARN("skipped: " << *why);
    return why.has_value();
}

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
    if (no_lab()) return;
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
    if (no_lab()) return;
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
    if (no_lab()) return;
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
    if (no_lab(true)) return;
    NetLab lab;
    lab.there();
    drop("icmp type echo-request reject with icmp type admin-prohibited");
    must("nft add rule inet t c icmpv6 type echo-request drop");
    lab.here();
    const auto rejected = reach("10.99.0.2");
    CHECK(rejected.cause() == "names.rejected");
    CHECK(rejected.verdict["values"]["sender"] == "10.99.0.2");
    CHECK(reach("fd99::2").cause() == "names.echo-filtered");  // its TCP port 22 refuses: alive
    lab.over_there("nft add rule inet t c meta l4proto tcp drop");
    CHECK(reach("fd99::2").cause() == "names.silent");
    must("nft add table inet t");
    must("nft add chain inet t c { type filter hook output priority 0 ; }");
    must("nft add rule inet t c ip daddr 10.99.0.2 drop");
    CHECK(reach("10.99.0.2").cause() == "names.blocked-here");
}

TEST_CASE("a firewall that drops all of IP is no unplugged machine, although it drops neighbour discovery as well") {
    if (no_lab(true)) return;
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
    if (no_lab()) return;
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

TEST_CASE("a router without a route, and one that does not answer, are named") {
    if (no_lab()) return;
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
