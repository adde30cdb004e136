// link.together between two namespaces that the tests make: two functions at each end, which share one cable
// (needs root, ip, tc, nft and iperf3).
#include <diag/testing_pair.hpp>

#include "bulk_lab.hpp"
#include "catch.hpp"
#include "probe/testing_tree.hpp"

extern "C" const diag_abi* diag_plugin_v1();

using namespace diag;
using namespace diag::bulk::testing;
using diag::testing::PairAnswer;

namespace {

// NetLab's cable between two bridges; f0 (10.98.0.x) and f1 (10.98.1.x) on each end have a rate of their own, the cable has another.
struct SharedPort : NetLab {
    explicit SharedPort(const std::string& cable, const std::string& second = "60mbit") {
        make("1", cable, second);
        there();
        make("2", cable, second);
        here();
    }
    PairAnswer ask(json more = json::object(), const std::string& check = "together", const std::string& root = "") {
        json params = {{"seconds", 2.0}, {"streams", 2}};
        if (check == "together") {
            params["addresses"] = {"10.98.0.2", "10.98.1.2"};
            params["interfaces"] = {"f0", "f1"};
        }
        params.update(more);
        return diag::testing::ask_pair(
            *diag_plugin_v1(), check, params, [this] { there(); }, root);
    }
    std::size_t listening() {
        there();
        const auto done = probe::run({.argv = {"ss", "-Htln"}});
        here();
        return static_cast<std::size_t>(std::count(done.out.begin(), done.out.end(), '\n'));
    }

  private:
    static void make(const std::string& host, const std::string& cable, const std::string& second) {
        must("sysctl -qw net.ipv4.tcp_congestion_control=reno net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2");
        must("ip addr flush dev wire");
        must("ip link add joint type bridge");
        must("ip link set joint up");
        must("ip link set wire master joint");
        for (const std::string number : {"0", "1"}) {
            must("ip link add f" + number + " type veth peer name inner" + number);
            must("ip link set inner" + number + " master joint up");
            must("ip addr add 10.98." + number + "." + host + "/24 dev f" + number);
            must("ip link set f" + number + " up");
            limit("f" + number, number == "0" ? "60mbit" : second);
        }
        limit("wire", cable);
    }
    static void limit(const std::string& interface, const std::string& rate) {
        must("tc qdisc replace dev " + interface + " root tbf rate " + rate + " burst 64kb latency 30ms");
    }
};

const json sixty_each = {{"expects", {"60Mbit", "60Mbit"}}};

}  // namespace

TEST_CASE("two functions that share too narrow a cable: each alone passes, and both together do not") {
    if (skipped(missing())) return;
    SharedPort port("60mbit");
    for (const std::string number : {"0", "1"}) {
        const PairAnswer alone =
            port.ask({{"address", "10.98." + number + ".2"}, {"interface", "f" + number}, {"expect", 60'000'000}}, "bulk");
        INFO(alone.here.reason());
        CHECK(alone.here.outcome() == "pass");
    }
    const PairAnswer answer = port.ask(sixty_each);
    INFO(answer.here.reason() << " / " << answer.there.reason());
    CHECK(answer.here.cause() == "link.together-slow");
    CHECK(answer.here.measured("floor") == 96e6);
    CHECK(answer.here.measured("forward_received") < 65e6);
    CHECK(answer.here.verdict["values"]["interfaces"] == "f0 and f1");
    CHECK(answer.there.outcome() == "pass");
    CHECK(port.listening() == 0);
}

TEST_CASE("two functions on a cable that is wide enough pass together, both ways") {
    if (skipped(missing())) return;
    SharedPort port("300mbit");
    const PairAnswer answer = port.ask(sixty_each);
    INFO(answer.here.reason() << " / " << answer.there.reason());
    CHECK(answer.here.outcome() == "pass");
    for (const char* name : {"forward_received", "reverse_received"}) CHECK(answer.here.measured(name) > 96e6);
    for (const char* name : {"forward_1_received", "forward_2_received", "reverse_1_received", "reverse_2_received"})
        CHECK(answer.here.measured(name) > 40e6);
    CHECK(port.listening() == 0);
    std::size_t facts = 0;
    for (const auto& e : answer.here.events)
        if (e["event"] == "fact") facts += e["value"].is_array() && e["value"].size() == 2 ? 1 : 0;
    CHECK(facts == 7);
}

TEST_CASE("a function that starves beside the other is named; one of which no more is expected is not") {
    if (skipped(missing())) return;
    SharedPort port("300mbit", "4mbit");
    const PairAnswer answer = port.ask({{"floor", "20Mbit"}});
    INFO(answer.here.reason());
    CHECK(answer.here.cause() == "link.together-uneven");
    CHECK(answer.here.verdict["values"]["interface"] == "f1");
    const PairAnswer expected = port.ask({{"floor", "20Mbit"}, {"expects", {"60Mbit", "4Mbit"}}});
    INFO(expected.here.reason());
    CHECK(expected.here.outcome() == "pass");
}

TEST_CASE("what the site file has wrong about one of the functions is said before any load") {
    if (skipped(missing())) return;
    SharedPort port("300mbit");
    CHECK(port.ask({{"interfaces", {"f0", "gone"}}}).here.cause() == "link.bulk-no-interface");
    CHECK(port.ask({{"addresses", {"10.98.0.2", "192.0.2.9"}}, {"interfaces", nullptr}}).here.cause() == "link.bulk-unroutable");
    CHECK(port.ask({{"addresses", {"10.98.0.2", "10.98.1.3"}}}).there.cause() == "link.bulk-not-its-address");
    CHECK(port.ask({{"floor", "1Mbit"}, {"interfaces", {"f0", "f0"}}}).here.cause() == "link.bulk-other-interface");
    CHECK(port.listening() == 0);
}

TEST_CASE("two functions need the memory of both: too little for that is no load, and enough is") {
    if (skipped(missing())) return;
    SharedPort port("300mbit");
    for (const auto& [mebibytes, refused] : {std::pair{159, true}, {160, false}}) {
        probe::testing::Tree tree;
        tree.file("/proc/meminfo", "MemAvailable: " + std::to_string(mebibytes * 1024) + " kB");
        tree.file("/proc/sys/net/ipv4/tcp_wmem", "4096 16384 4194304");
        tree.file("/proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456");
        const PairAnswer answer = port.ask({{"floor", "20Mbit"}, {"seconds", 1.0}}, "together", tree.text());
        INFO(answer.here.reason() << " / " << answer.there.reason());
        CHECK(answer.here.cause() == (refused ? "link.bulk-memory" : ""));
        CHECK(answer.here.outcome() == (refused ? "fail" : "pass"));
    }
}

TEST_CASE("without addresses and names it is skipped; lists of different lengths are refused") {
    const auto ask = [](const json& params) { return diag::testing::ask_pair(*diag_plugin_v1(), "together", params); };
    CHECK(ask(json::object()).here.outcome() == "skip");
    CHECK_THAT(ask({{"addresses", {"127.0.0.1", "127.0.0.2"}}, {"interfaces", {"lo"}}}).here.error.dump(),
               ContainsSubstring("different lengths"));
    CHECK_THAT(ask({{"addresses", {"127.0.0.1"}}}).here.error.dump(), ContainsSubstring("nothing beside it"));
}
