// link.bulk with its own server at the far end: two namespaces that the tests make (needs root, ip, tc, nft and iperf3).
#include <diag/testing_pair.hpp>

#include "bulk_lab.hpp"
#include "catch.hpp"
#include "probe/traffic.hpp"

extern "C" const diag_abi* diag_plugin_v1();

using namespace diag;
using namespace diag::bulk::testing;
using diag::testing::PairAnswer;

namespace {

// The two ends without any server.
struct Ends : Lab {
    Ends() {
        server->stop();
        shape("100mbit", "100mbit");
    }
    PairAnswer ask(json more = json::object()) {
        json params = {{"address", "10.99.0.2"}, {"interface", "wire"}, {"seconds", 1.0}, {"streams", 2}, {"expect", 100'000'000}};
        params.update(more);
        return diag::testing::ask_pair(*diag_plugin_v1(), "bulk", params, [this] { there(); });
    }
    // Listening TCP sockets at the far end.
    std::size_t listening() {
        there();
        const auto done = probe::run({.argv = {"ss", "-Htln"}});
        here();
        return static_cast<std::size_t>(std::count(done.out.begin(), done.out.end(), '\n'));
    }
};

}  // namespace

TEST_CASE("the far half serves on the link's address for as long as the test lasts, and nothing listens afterwards") {
    if (skipped(missing())) return;
    Ends ends;
    for (const char* address : {"10.99.0.2", "fd99::2"}) {
        const PairAnswer answer = ends.ask({{"address", address}});
        INFO(answer.here.reason() << " / " << answer.there.reason());
        CHECK(answer.here.outcome() == "pass");
        CHECK(answer.here.measured("forward_received") > 80e6);
        CHECK(answer.here.measured("reverse_received") > 80e6);
        CHECK(answer.there.outcome() == "pass");
        CHECK(ends.listening() == 0);
    }
}

TEST_CASE("both halves tell facts, each of its own end") {
    if (skipped(missing())) return;
    Ends ends;
    const PairAnswer answer = ends.ask();
    json here, there;
    for (const auto& e : answer.here.events)
        if (e["event"] == "fact") here[e["name"].get<std::string>()] = e["value"];
    for (const auto& e : answer.there.events)
        if (e["event"] == "fact") there[e["name"].get<std::string>()] = e["value"];
    CHECK(here["source"] == "10.99.0.1");
    CHECK(there["source"] == "10.99.0.2");
    CHECK(here.size() == there.size());
}

TEST_CASE("an address that the far machine does not have is said by that machine") {
    if (skipped(missing())) return;
    Ends ends;
    const PairAnswer answer = ends.ask({{"address", "10.99.0.3"}});
    CHECK(answer.there.cause() == "link.bulk-not-its-address");
    CHECK(answer.here.error["kind"] == "companion");
}

TEST_CASE("a port that is given is a server that somebody started, and the far half starts none") {
    if (skipped(missing())) return;
    Ends ends;
    CHECK(ends.ask({{"port", 5201}}).here.cause() == "link.bulk-no-server");
    Lab with_server;
    with_server.shape("100mbit", "100mbit");
    const PairAnswer answer = diag::testing::ask_pair(
        *diag_plugin_v1(), "bulk",
        {{"address", "10.99.0.2"}, {"seconds", 1.0}, {"port", 5201}, {"expect", 100'000'000}, {"max_retransmits", 0.1}},
        [&] { with_server.there(); });
    INFO(answer.here.reason());
    CHECK(answer.here.outcome() == "pass");
}

TEST_CASE("a cable that is pulled for a moment is told by both ends; another interface that comes and goes is nobody's business") {
    if (skipped(missing())) return;
    Ends ends;
    must("ip link add other type veth peer name another");
    must("ip link set another up");
    must("ip link set other up");
    const auto while_flaps = [&](const std::string& interface) {
        const std::string flap = "sleep 2; ip link set " + interface + " down; sleep 0.2; ip link set " + interface + " up";
        Subprocess flapping({.argv = {"sh", "-c", flap}, .timeout = std::chrono::seconds(10)});
        PairAnswer answer = ends.ask({{"seconds", 2.0}, {"floor", "1Mbit"}, {"max_retransmits", 0.5}});
        flapping.finish();
        return answer;
    };
    const PairAnswer answer = while_flaps("wire");
    INFO(answer.here.reason() << " / " << answer.there.reason());
    CHECK(answer.here.cause() == "link.bulk-flapped");
    CHECK_THAT(answer.here.reason(), ContainsSubstring("lost its carrier 1 time during the test"));
    CHECK_THAT(answer.here.reason().substr(answer.here.reason().find(';')), ContainsSubstring("wire of node-b lost its carrier 1 time"));
    CHECK(answer.there.outcome() == "pass");
    CHECK(ends.listening() == 0);
    const PairAnswer calm = while_flaps("other");
    INFO(calm.here.reason());
    CHECK(calm.here.outcome() == "pass");
}

TEST_CASE("a firewall before the free port is told as one") {
    if (skipped(missing())) return;
    Ends ends;
    ends.over_there("nft add table inet test");
    ends.over_there("nft add chain inet test input { type filter hook input priority 0 ; }");
    ends.over_there("nft add rule inet test input tcp dport 1024-65535 drop");
    const PairAnswer answer = ends.ask();
    CHECK(answer.here.cause() == "link.bulk-no-answer");
    CHECK(answer.here.verdict["values"]["port"].get<int>() > 1023);
    CHECK(answer.here.verdict["values"]["ports"] == json{"to", "any", "port"});
    CHECK(ends.listening() == 0);
    ends.over_there("nft flush ruleset");
    ends.over_there("nft add table inet test");
    ends.over_there("nft add chain inet test output { type filter hook output priority 0 ; }");
    ends.over_there("nft add rule inet test output tcp sport 5201 drop");
    ends.there();
    ends.serve(5201);
    ends.here();
    const PairAnswer standing = ends.ask({{"port", 5201}});
    CHECK(standing.here.cause() == "link.bulk-no-answer");
    CHECK(standing.here.verdict["values"]["ports"] == json{"port", 5201});
    CHECK(ends.ask().here.outcome() == "pass");  // a port of its own is let through
}
