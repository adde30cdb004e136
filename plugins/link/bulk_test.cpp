// The whole check: with real iperf3 programs in namespaces that the tests make (needs root, ip, tc, nft and iperf3), and
// with programs of that name that repeat what was captured.
#include <diag/plugin.hpp>
#include <diag/testing.hpp>
#include <diag/testing_pair.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include <diag/verdict.hpp>

#include "bulk.hpp"
#include "bulk_lab.hpp"
#include "bulk_run.hpp"
#include "bulk_samples.hpp"
#include "catch.hpp"
#include "probe/testing_tree.hpp"

extern "C" const diag_abi* diag_plugin_v1();

using namespace diag;
using namespace diag::bulk::testing;
using diag::testing::Answer;

namespace {

Answer ask(json more = json::object()) {
    json params = {{"name", "far"}, {"address", "10.99.0.2"}, {"interface", "wire"}, {"seconds", 1.0}, {"streams", 2}};
    params.update(more);
    return diag::testing::ask(*diag_plugin_v1(), "bulk", params);
}

Answer ask_fake(json more = json::object(), const std::string& root = "") {
    json params = {{"address", "127.0.0.1"}, {"interface", "lo"}, {"seconds", 1.0}};
    params.update(more);
    return diag::testing::ask(*diag_plugin_v1(), "bulk", params, root);
}

std::set<std::string> names(const Answer& answer, const std::string& event) {
    std::set<std::string> found;
    for (const auto& e : answer.events)
        if (e["event"] == event) found.insert(e["name"].get<std::string>());
    return found;
}

}  // namespace

TEST_CASE("A link that carries what is expected passes, both ways, with latency idle and under load") {
    if (skipped(missing())) return;
    Lab lab;
    lab.shape("100mbit", "100mbit");
    const Answer answer = ask({{"expect", 100'000'000}, {"speed", 200'000'000}});
    INFO(answer.reason());
    CHECK(answer.outcome() == "pass");
    CHECK(answer.measured("floor") == 80e6);
    for (const char* name : {"forward", "reverse"})
        CHECK(answer.measured(std::string(name) + "_share") == Approx(answer.measured(std::string(name) + "_received") / 2e6));
    for (const char* name : {"forward_sent", "forward_received", "reverse_sent", "reverse_received"}) CHECK(answer.measured(name) > 80e6);
    CHECK(answer.measured("rtt_idle_min") <= answer.measured("rtt_idle_max"));
    CHECK(answer.measured("rtt_loaded_avg") > 0);
    CHECK(answer.measured("rtt_idle_loss") == 0);
    CHECK_THAT(answer.reason(), ContainsSubstring("; round trip ") && ContainsSubstring(" ms under load"));
    CHECK(names(answer, "measurement").count("reverse_retransmits") == 1);
    CHECK(names(answer, "evidence") ==
          std::set<std::string>{"iperf3-forward", "iperf3-reverse", "interfaces-forward", "interfaces-reverse"});
    const json catalogue = json::parse(diag_plugin_v1()->describe());
    json entry;
    for (const auto& check : catalogue["checks"])
        if (check["name"] == "bulk") entry = check;
    CHECK(names(answer, "fact") == entry["reusable_while"].get<std::set<std::string>>());
}

TEST_CASE("A virtual interface's speed is no ceiling: without one the rates are told, and not passed") {
    if (skipped(missing())) return;
    Lab lab;
    lab.shape("100mbit", "100mbit");
    const Answer answer = ask();
    CHECK(answer.cause() == "link.bulk-unjudged");
    CHECK(names(answer, "measurement").count("forward_share") == 0);  // of what?
    CHECK(ask({{"floor", "50Mbit"}}).outcome() == "pass");
}

TEST_CASE("Echoes that are dropped are counted as lost, and the summary does not make up a round trip") {
    if (skipped(NetLab::missing())) return;
    Lab lab;
    lab.shape("100mbit", "100mbit");
    lab.over_there("nft add table inet echo");
    lab.over_there("nft add chain inet echo in { type filter hook input priority 0 ; }");
    lab.over_there("nft add rule inet echo in meta l4proto icmp drop");
    lab.over_there("nft add rule inet echo in udp dport 1-65535 drop");
    const Answer answer = ask({{"floor", "1Mbit"}});
    INFO(answer.reason());
    CHECK(answer.outcome() == "pass");
    CHECK(answer.measured("rtt_idle_loss") == 100);
    CHECK(names(answer, "measurement").count("rtt_idle_avg") == 0);
    CHECK_THAT(answer.reason(), ContainsSubstring("no echo was answered"));
}

TEST_CASE("A server that is not there is told from one on another port") {
    if (skipped(missing())) return;
    Lab lab(5202);
    const Answer answer = ask({{"floor", "1Mbit"}});
    CHECK(answer.cause() == "link.bulk-no-server");
    CHECK(answer.verdict["values"]["name"] == "far");
    lab.shape("100mbit", "100mbit");
    CHECK(ask({{"floor", "1Mbit"}, {"port", 5202}}).outcome() == "pass");
}

TEST_CASE("A server in somebody else's test is busy, and answers when that is over") {
    if (skipped(missing())) return;
    Lab lab;
    lab.shape("100mbit", "100mbit");
    {
        Subprocess other({.argv = {"iperf3", "--client", "10.99.0.2", "--time", "600", "--forceflush"}, .timeout = std::chrono::hours(1)});
        REQUIRE(says(other, "connected"));
        CHECK(ask({{"floor", "1Mbit"}}).cause() == "link.bulk-busy");
    }
    REQUIRE(says(*lab.server, "Server listening on 5201 (test #2)"));
    CHECK(ask({{"floor", "1Mbit"}}).outcome() == "pass");
}

TEST_CASE("A server that is killed in the middle leaves no measurement, though iperf3 exits with 0") {
    if (skipped(missing())) return;
    Lab lab;
    lab.shape("100mbit", "100mbit");
    std::thread killer([&] {
        says(*lab.server, "0.00-1.0");
        lab.server->stop();
    });
    const Answer answer = ask({{"floor", "1Mbit"}, {"seconds", 6.0}});
    killer.join();
    INFO(answer.reason());
    CHECK(answer.cause() == "link.bulk-broken");
    CHECK(names(answer, "measurement").count("forward_received") == 0);
}

TEST_CASE("A link below the floor is slow, and one that is slow one way is slow that way") {
    if (skipped(missing())) return;
    Lab lab;
    lab.shape("20mbit", "20mbit");
    CHECK(ask({{"floor", "80Mbit"}}).cause() == "link.bulk-slow");
    lab.shape("100mbit", "20mbit");
    Answer answer = ask({{"floor", "60Mbit"}});
    CHECK(answer.cause() == "link.bulk-slow-one-way");
    CHECK_THAT(answer.reason(), ContainsSubstring("back: "));
    lab.shape("20mbit", "100mbit");
    answer = ask({{"floor", "60Mbit"}});
    CHECK(answer.cause() == "link.bulk-slow-one-way");
    CHECK_THAT(answer.reason(), ContainsSubstring("there: "));
}

TEST_CASE("Lost segments are seen though the rate is reached; lost large ones alone are a stall") {
    if (skipped(missing())) return;
    Lab lab;
    lab.shape("100mbit", "100mbit");
    lab.over_there("nft add table inet loss");
    lab.over_there("nft add chain inet loss in { type filter hook input priority 0 ; }");
    lab.over_there("nft add rule inet loss in tcp dport 5201 meta length > 1000 numgen random mod 100 < 5 drop");
    const Answer lossy = ask({{"floor", "1Mbit"}});
    INFO(lossy.reason());
    CHECK(lossy.outcome() == "warn");
    CHECK(lossy.cause() == "link.bulk-lossy");
    CHECK(lossy.measured("forward_retransmits") > 0);
    lab.over_there("nft add rule inet loss in tcp dport 5201 meta length > 1000 drop");
    CHECK(ask({{"floor", "1Mbit"}}).cause() == "link.bulk-stalled");
}

TEST_CASE("Two interfaces in one network: the one that the bytes took is named") {
    if (skipped(missing())) return;
    Lab lab;
    lab.shape("100mbit", "100mbit");
    const std::string far = "/proc/" + std::to_string(lab.server->pid()) + "/ns/net";
    must("ip link add second type veth peer name second netns " + far);
    must("ip addr add 10.99.0.11/24 dev second");
    must("ip link set second up");
    lab.over_there("ip link set second up");
    const Answer answer = ask({{"floor", "1Mbit"}, {"interface", "second"}});
    INFO(answer.reason());
    CHECK(answer.cause() == "link.bulk-other-interface");
    CHECK(answer.verdict["values"]["other"] == "wire");
    CHECK(ask({{"floor", "1Mbit"}}).outcome() == "pass");
}

TEST_CASE("An address without a route, an interface that is not there and a name that nobody knows are said before anything runs") {
    if (skipped(missing())) return;
    Lab lab;
    CHECK(ask({{"address", "10.77.0.1"}, {"interface", nullptr}}).cause() == "link.bulk-unroutable");
    const Answer nowhere = ask({{"address", "fe80::2"}, {"interface", nullptr}});
    CHECK(nowhere.cause() == "link.bulk-unroutable");
    CHECK_THAT(nowhere.reason(), ContainsSubstring("no interface says of which link"));
    CHECK(ask({{"interface", "wirre"}}).cause() == "link.bulk-no-interface");
    CHECK(ask({{"address", nullptr}, {"name", "no-such-host.invalid"}}).cause() == "link.bulk-unresolved");
    CHECK(ask({{"address", nullptr}, {"name", nullptr}}).outcome() == "skip");
}

TEST_CASE("The far end's address on this machine is said before anything runs: bytes would never leave it") {
    if (skipped(missing())) return;
    Lab lab;
    for (const json& interface : {json(nullptr), json("wire")}) {
        const Answer own = ask({{"address", "10.99.0.1"}, {"interface", interface}});
        INFO(own.reason());
        CHECK(own.cause() == "link.bulk-own-address");
        CHECK(ask({{"address", "127.0.0.1"}, {"interface", interface}}).cause() == "link.bulk-own-address");
    }
}

TEST_CASE("An address that is none is the runbook's fault, not the link's") {
    const FakeIperf iperf(bulk::samples::healthy);
    CHECK(ask_fake({{"address", "10.0.0.0/8"}}).error["kind"] == "parameter");
}

TEST_CASE("A core that was full is the reason for a low rate, as iperf3 reports it") {
    std::string full = bulk::samples::healthy;
    const auto at = full.find("\"host_total\": 2");
    REQUIRE(at != std::string::npos);
    const unsigned threads = std::max(1U, std::min(4U, std::thread::hardware_concurrency()));
    full.replace(at, 15, "\"host_total\": " + std::to_string(99 * threads));
    const FakeIperf iperf(full.replace(full.find("iperf 3.12"), 10, "iperf 3.16"));
    const Answer answer = ask_fake({{"floor", "20Gbit"}});
    CHECK(answer.cause() == "link.bulk-cpu-bound");
    CHECK_THAT(answer.reason(), ContainsSubstring("the link was not shown to be slow"));
}

TEST_CASE("An iperf3 of one thread that was full gives no answer below the floor, and the rates are kept; above it they count") {
    std::string full = bulk::samples::healthy;
    full.replace(full.find("\"host_total\": 2"), 15, "\"host_total\": 99");
    const FakeIperf iperf(full);
    const probe::testing::Tree tree;  // without /proc/stat: nothing says that the other cores were busy
    const Answer answer = ask_fake({{"floor", "20Gbit"}}, tree.text());
    CHECK(answer.error["kind"] == "unknown");
    CHECK_THAT(answer.reason(), ContainsSubstring("not measurable here: iperf3 3.12 here serves all streams from one thread"));
    CHECK(answer.measured("forward_received") > 900e6);
    CHECK(ask_fake({{"floor", "500Mbit"}}, tree.text()).outcome() == "pass");
    const FakeIperf idle(bulk::samples::healthy);
    CHECK(ask_fake({{"floor", "20Gbit"}}, tree.text()).cause() == "link.bulk-slow");
}

namespace {

// What a machine with so much memory tells: a stream may take 10 MiB in socket buffers.
void memory(probe::testing::Tree& tree, int mebibytes, const std::string& folder = "") {
    tree.file(folder + "/proc/meminfo", "MemAvailable: " + std::to_string(mebibytes * 1024) + " kB");
    tree.file(folder + "/proc/sys/net/ipv4/tcp_wmem", "4096 16384 4194304");
    tree.file(folder + "/proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456");
}

}  // namespace

TEST_CASE("A machine with too little memory for the load makes none, and one with enough does") {
    const FakeIperf iperf(bulk::samples::healthy);
    for (const auto& [mebibytes, refused] : {std::pair{159, true}, {160, false}}) {
        probe::testing::Tree tree;
        memory(tree, mebibytes);
        const Answer answer = ask_fake({{"floor", "1Mbit"}}, tree.text());
        INFO(answer.reason());
        CHECK(answer.cause() == (refused ? "link.bulk-memory" : ""));
        CHECK(answer.outcome() == (refused ? "fail" : "pass"));
        CHECK(names(answer, "evidence").count("iperf3-forward") == (refused ? 0 : 1));
    }
}

TEST_CASE("A far machine with too little memory serves nothing, and says so; one with enough serves") {
    const FakeIperf iperf(bulk::samples::healthy,
                          "#!/bin/sh\ncase \"$*\" in *--version*) exec echo 'iperf 3.12 (a fake)';; *--server*) echo listening; exec sleep "
                          "20;; esac\nexec cat \"${0%/*}/text\"\n");
    probe::testing::Tree trees;
    memory(trees, 160, "/near/machine");
    memory(trees, 159, "/small/machine");
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(trees.root() / "near");
    const auto ask_half = [&](const std::string& far) {
        return diag::testing::ask_pair(
            *diag_plugin_v1(), "bulk", {{"address", "127.0.0.1"}, {"interface", "lo"}, {"seconds", 1.0}, {"floor", "1Mbit"}},
            [&] { std::filesystem::current_path(trees.root() / far); }, "machine");
    };
    const auto small = ask_half("small"), same = ask_half("near");
    std::filesystem::current_path(before);
    INFO(same.here.reason() << " / " << same.there.reason());
    CHECK(small.there.cause() == "link.bulk-memory");
    CHECK(small.here.error["kind"] == "companion");
    CHECK((same.there.outcome() == "pass" && same.here.outcome() == "pass"));
}

TEST_CASE("An iperf3 that gives no report is no answer about the link, and what it said is told") {
    const FakeIperf iperf("", "#!/bin/sh\necho 'iperf3: error while loading shared libraries' >&2; exit 127\n");
    const Answer answer = ask_fake({{"floor", "1Mbit"}});
    CHECK(answer.error["kind"] == "unknown");
    CHECK_THAT(answer.reason(), ContainsSubstring("shared libraries"));
}

TEST_CASE("A server that is still busy with the test before is asked again, and one that stays busy is busy") {
    const auto peer = *probe::Address::parse("127.0.0.1");
    const bulk::Plan plan{.peer = peer, .source = std::nullopt};
    bulk::Pinger pinger(peer, "lo");
    const std::string answer = "#!/bin/sh\nhere=${0%/*}\n";
    const std::string busy = std::string("cat <<'END'\n") + bulk::samples::busy + "\nEND\n";
    {
        const FakeIperf iperf(bulk::samples::healthy,
                              answer + "if mkdir \"$here/asked\" 2>/dev/null; then\n" + busy + "else cat \"$here/text\"; fi\n");
        CHECK(bulk::run_flow(plan, true, pinger).report.summed);
    }
    const FakeIperf iperf("", answer + busy);
    CHECK(bulk::run_flow(plan, true, pinger).report.end == bulk::End::busy);
}

TEST_CASE("A server that does not listen for a moment after the first direction is asked again; one that never did is told at once") {
    const auto peer = *probe::Address::parse("127.0.0.1");
    const bulk::Plan plan{.peer = peer, .source = std::nullopt};
    bulk::Pinger pinger(peer, "lo");
    const std::string refused = std::string("cat <<'END'\n") + bulk::samples::refused + "\nEND\n";
    const std::string first_refused =
        "#!/bin/sh\nhere=${0%/*}\nif mkdir \"$here/asked\" 2>/dev/null; then\n" + refused + "else cat \"$here/text\"; fi\n";
    {
        const FakeIperf iperf(bulk::samples::healthy, first_refused);
        CHECK(bulk::run_flow(plan, true, pinger).report.summed);
    }
    const FakeIperf iperf(bulk::samples::healthy, first_refused);
    CHECK(bulk::run_flow(plan, false, pinger).report.end == bulk::End::refused);
}

TEST_CASE("An iperf3 that hangs is asked to end, and its last word counts; one that does not listen is killed") {
    const auto peer = *probe::Address::parse("127.0.0.1");
    const bulk::Plan plan{.peer = peer, .source = std::nullopt, .seconds = 0, .slack = std::chrono::seconds(1)};
    bulk::Pinger pinger(peer, "lo");
    {
        const FakeIperf iperf(bulk::samples::hanging, "#!/bin/sh\ntrap 'cat \"${0%/*}/text\"; exit' TERM\nwhile :; do sleep 0.1; done\n");
        CHECK(bulk::run_flow(plan, false, pinger).report.stalled());
    }
    const FakeIperf iperf("", "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n");
    CHECK_THROWS_AS(bulk::run_flow(plan, false, pinger), Unknown);
}

TEST_CASE("The address and the port stand where no option can, and a long run is told in few intervals") {
    const bulk::Plan plan{.peer = *probe::Address::parse("fd99::2"), .source = probe::Address::parse("fd99::1"), .seconds = 600};
    const auto argv = bulk::client_argv(plan, true);
    const auto after = [&](const std::string& option) { return *(std::find(argv.begin(), argv.end(), option) + 1); };
    CHECK(after("--client") == "fd99::2");
    CHECK(after("--bind") == "fd99::1");
    CHECK(after("--interval") == "30");
    CHECK(argv.back() == "--reverse");
}
