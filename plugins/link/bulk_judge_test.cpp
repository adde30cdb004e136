#include "bulk_judge.hpp"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "bulk_samples.hpp"
#include "bulk_subject.hpp"
#include "catch.hpp"

using namespace diag;
using namespace diag::bulk;

namespace {

Flow flow(bool reverse, double gigabits) {
    Flow f;
    f.reverse = reverse;
    f.report.summed = true;
    f.report.version = "3.12";
    f.report.sent = f.report.received = gigabits * 1e9;
    f.report.bytes = gigabits * 1e9 / 8 * 20;
    f.report.retransmits = 0;
    f.report.cpu_here = 60;
    f.report.cpu_there = 40;
    const auto bytes = static_cast<std::uint64_t>(f.report.bytes * 1.02);
    f.carried = {{1, "lo", 500, 500}, {2, "direct", reverse ? bytes : bytes / 50, reverse ? bytes / 50 : bytes}, {3, "house", 9000, 9000}};
    return f;
}

// There and back over `direct`, of which 10 Gbit/s are expected.
Findings findings(double there, double back) {
    Findings f;
    f.peer = "node-b (10.0.0.2)";
    f.name = "node-b";
    f.address = "10.0.0.2";
    f.interface = "direct";
    f.processors = 8;
    f.own = {2};
    f.floor = floor_from(units::parse_rate_or_fraction("80%"), {{Rate{10'000'000'000}, "what the site file expects"}});
    f.flows = {flow(false, there), flow(true, back)};
    return f;
}

struct Tree {
    std::filesystem::path root;
    Tree() {
        std::string name = "/tmp/diag-bulk-XXXXXX";
        root = ::mkdtemp(name.data());
    }
    ~Tree() { std::filesystem::remove_all(root); }
    void file(const std::string& path, const std::string& text) const {
        std::filesystem::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text << "\n";
    }
};

}  // namespace

TEST_CASE("Both directions above the floor pass, and the verdict says what the floor was made of") {
    const Verdict v = decide(findings(9.4, 9.3));
    CHECK(v.outcome == Outcome::pass);
    CHECK_THAT(v.reason, ContainsSubstring("there 9.4 Gbit/s, back 9.3 Gbit/s"));
    CHECK_THAT(v.reason, ContainsSubstring("8 Gbit/s: 80 % of 10 Gbit/s, what the site file expects"));
}

TEST_CASE("One slow direction is named, and two are told from one") {
    CHECK(decide(findings(2, 3)).cause == "link.bulk-slow");
    const Verdict there = decide(findings(2, 9)), back = decide(findings(9, 2));
    CHECK(there.cause == "link.bulk-slow-one-way");
    CHECK_THAT(there.reason, ContainsSubstring("there: 2 Gbit/s"));
    CHECK(there.values["direction"] == "to");
    CHECK(back.cause == "link.bulk-slow-one-way");
    CHECK_THAT(back.reason, ContainsSubstring("back: 2 Gbit/s"));
    CHECK(back.values["direction"] == "from");
}

TEST_CASE("A full core explains a rate below the floor, and is no fault above it") {
    Findings f = findings(5, 9);
    f.flows[0].idle_here = 0.2;
    f.idle_there = 0;
    f.flows[0].report.cpu_here = 99.6;
    CHECK(decide(f).cause == "link.bulk-cpu-bound");
    CHECK_THAT(decide(f).reason, ContainsSubstring("the one core that iperf3 3.12 uses"));
    f.flows[0].report.cpu_here = 60;
    f.flows[0].report.cpu_there = 98;
    CHECK_THAT(decide(f).reason, ContainsSubstring("iperf3 on node-b had 98 %"));
    f.flows[0].report.cpu_there = 60;
    f.flows[0].softirq = {"cpu3", 0.97};
    CHECK_THAT(decide(f).reason, ContainsSubstring("cpu3 of this machine spent 97 %"));
    f.flows[0].softirq = {"cpu3", 0.6, 0.99};
    CHECK_THAT(decide(f).reason, ContainsSubstring("cpu3 of this machine had no time left: 60 % of it went into receiving"));
    f.flows[0].softirq = {"cpu3", 0.6, 0.8};
    CHECK(decide(f).cause == "link.bulk-slow-one-way");
    f.flows[0].softirq = {"cpu3", 0.1, 1};  // full of other work
    CHECK(decide(f).cause == "link.bulk-slow-one-way");
    f.flows[0].thread = {0.5, 0.48};
    CHECK(decide(f).cause == "link.bulk-cpu-bound");
    CHECK_THAT(decide(f).reason, ContainsSubstring("iperf3 here waited 48 % of the time for a processor"));
    f.flows[0].thread = {0.2, 0.48};  // it waited for the link, too
    CHECK(decide(f).cause == "link.bulk-slow-one-way");
    f = findings(9, 9);
    f.flows[0].report.cpu_here = f.flows[0].report.cpu_there = 100;
    CHECK(decide(f).outcome == Outcome::pass);
}

namespace {

std::string unknown(const Findings& f) {
    try {
        const Verdict verdict = decide(f);
        return "an answer: " + verdict.cause;
    } catch (const Unknown& e) {
        return e.what();
    }
}

}  // namespace

TEST_CASE("One thread that is full beside idle cores is no answer about the link: another iperf3 is needed, on that machine") {
    Findings f = findings(5, 9);
    f.flows[0].report.cpu_here = 99.6;
    f.flows[0].idle_here = 6.5;
    CHECK_THAT(unknown(f),
               ContainsSubstring("there: 5 Gbit/s, the floor is 8 Gbit/s") &&
                   ContainsSubstring("not measurable here: iperf3 3.12 here serves all streams from one thread, and 5 Gbit/s is "
                                     "what that core carries (100 % of it used, while 6.5 other cores were idle)") &&
                   ContainsSubstring("next: iperf3 3.16 or later here"));
    f.flows[0].idle_here.reset();  // not known to be busy
    CHECK_THAT(unknown(f), ContainsSubstring("not measurable here"));
    f.flows[0].report.received = 1e9;
    f.floor = floor_from(units::parse_rate_or_fraction("3Gbit"), {});  // one core is enough for that: it has something else to do
    CHECK(decide(f).cause == "link.bulk-cpu-bound");
    f.flows[0].report.received = 5e9;
    f.floor = findings(5, 9).floor;
    f.flows[0].idle_here = 0.1;
    CHECK(decide(f).cause == "link.bulk-cpu-bound");
    f.flows[0].report.cpu_here = 60;
    f.flows[0].idle_here = 6.5;
    CHECK(decide(f).cause == "link.bulk-slow-one-way");  // the network
    f.flows[0].report.received = 9e9;
    f.flows[0].report.cpu_here = 100;
    CHECK(decide(f).outcome == Outcome::pass);
}

TEST_CASE("Each end's iperf3 counts by its own version: a newer one there has a thread per stream, an older one has not") {
    Findings f = findings(5, 9);
    f.flows[0].report.version = "3.18";
    f.version_there = "3.9";
    f.flows[0].report.cpu_there = 98;
    CHECK_THAT(unknown(f), ContainsSubstring("iperf3 3.9 on node-b serves") && ContainsSubstring("3.16 or later on node-b"));
    f.idle_there = 0.0;
    CHECK(decide(f).cause == "link.bulk-cpu-bound");
    f.version_there = "3.18";
    CHECK(decide(f).cause == "link.bulk-slow-one-way");
    f.flows[0].report.version = "3.12";
    CHECK(decide(f).cause == "link.bulk-slow-one-way");
}

TEST_CASE("A way that measured a thread does not hide that the other way is slow") {
    Findings f = findings(5, 2);
    f.flows[0].report.cpu_here = 100;
    const Verdict verdict = decide(f);
    CHECK(verdict.cause == "link.bulk-slow-one-way");
    CHECK(verdict.values["direction"] == "from");
    CHECK_THAT(verdict.reason, ContainsSubstring("back: 2 Gbit/s"));
}

TEST_CASE("The round trip under load stands beside the idle one, and echoes that nobody answered are said") {
    Findings f = findings(9.4, 9.3);
    CHECK(summary(f) == "there 9.4 Gbit/s, back 9.3 Gbit/s; no echo was answered");
    f.idle = {4, {0.04, 0.06}};
    CHECK_THAT(summary(f), ContainsSubstring("; round trip 0.05 ms idle, and no echo was answered under load"));
    f.flows[0].echoes = {2, {0.6}};
    f.flows[1].echoes = {2, {1}};
    CHECK_THAT(summary(f), ContainsSubstring("; round trip 0.05 ms idle, 0.8 ms under load"));
    CHECK_THAT(decide(f).reason, ContainsSubstring("0.8 ms under load"));
    f.flows[0].echoes = f.flows[1].echoes = {2, {120}};
    CHECK_THAT(summary(f), ContainsSubstring("120 ms under load"));
    f.flows[0].echoes = f.flows[1].echoes = {2, {0.8}};
    f.idle = {4, {}};
    CHECK_THAT(summary(f), ContainsSubstring("; round trip 0.8 ms under load, and no echo was answered before it"));
    f.no_echo = "Permission denied";
    CHECK_THAT(summary(f), ContainsSubstring("; no echo could be sent"));
}

TEST_CASE("A version with a thread per stream is bound by the processors only when all of them are full") {
    Findings f = findings(5, 9);
    f.flows[0].report.version = "3.16";
    f.flows[0].report.cpu_here = 100;
    CHECK(decide(f).cause == "link.bulk-slow-one-way");
    f.flows[0].report.cpu_here = 390;
    CHECK(decide(f).cause == "link.bulk-cpu-bound");
    f.flows[0].report.cpu_here = 197;
    CHECK(decide(f).cause == "link.bulk-slow-one-way");
    f.processors = 2;
    CHECK(decide(f).cause == "link.bulk-cpu-bound");
}

TEST_CASE("Bytes that took another interface are found by the counters, whatever the rate") {
    Findings f = findings(9, 9);
    std::swap(f.flows[1].carried[1].received, f.flows[1].carried[2].received);
    const Verdict v = decide(f);
    CHECK(v.cause == "link.bulk-other-interface");
    CHECK_THAT(v.reason, ContainsSubstring("back went over house"));
    CHECK(v.values["other"] == "house");
}

TEST_CASE("Another interface may be busy with its own traffic, and a VLAN's bytes are also its lower interface's") {
    Findings f = findings(9, 9);
    for (Flow& each : f.flows) each.carried[2].sent = each.carried[2].received = 50'000'000'000;
    CHECK(decide(f).outcome == Outcome::pass);
    f = findings(9, 9);
    f.own = {3, 2};
    CHECK(decide(f).outcome == Outcome::pass);
}

TEST_CASE("What an interface stands on, belongs to or consists of carries the same bytes; a veth's other end does not") {
    const auto made = [](unsigned index, const char* kind, unsigned master, unsigned lower) {
        probe::Interface i;
        i.index = index;
        i.kind = kind;
        i.master = master;
        i.lower = lower;
        return i;
    };
    const auto port = made(2, "", 5, 0), other_port = made(3, "", 5, 0), vlan = made(4, "vlan", 0, 5), bond = made(5, "bond", 0, 0);
    const auto loose = made(6, "", 0, 0), one = made(7, "veth", 0, 8), other = made(8, "veth", 0, 7);
    const std::vector<probe::Interface> all{port, other_port, vlan, bond, loose, one, other};
    CHECK(same_bytes(bond, all) == std::set<unsigned>{2, 3, 4, 5});
    CHECK(same_bytes(loose, all) == std::set<unsigned>{6});
    CHECK(same_bytes(one, all) == std::set<unsigned>{7});
    const auto of_vlan = same_bytes(vlan, all), of_port = same_bytes(port, all);
    CHECK(of_vlan.count(5) == 1);
    CHECK(of_port.count(5) == 1);
    CHECK(of_vlan.count(6) + of_port.count(6) == 0);
}

TEST_CASE("Many retransmits warn where the rate is reached, and explain one that is not; a few do neither") {
    Findings f = findings(9, 9);
    f.flows[0].report.retransmits = 0.03 * f.flows[0].report.bytes / 1448;
    Verdict v = decide(f);
    CHECK(v.outcome == Outcome::warn);
    CHECK(v.cause == "link.bulk-lossy");
    CHECK_THAT(v.reason, ContainsSubstring("3 % of the segments there"));
    f.flows[0].report.retransmits = 0.005 * f.flows[0].report.bytes / 1448;
    CHECK(decide(f).outcome == Outcome::pass);
    f = findings(2, 9);
    f.flows[0].report.retransmits = 0.03 * f.flows[0].report.bytes / 1448;
    CHECK(decide(f).cause == "link.bulk-slow-one-way");  // what the queue before a slow place loses by itself
    f.flows[0].report.retransmits = 0.08 * f.flows[0].report.bytes / 1448;
    v = decide(f);
    CHECK(v.outcome == Outcome::fail);
    CHECK(v.cause == "link.bulk-lossy");
    f.flows[0].report.retransmits.reset();
    CHECK(decide(f).cause == "link.bulk-slow-one-way");
}

TEST_CASE("Without anything to compare with, rates are told and not passed") {
    Findings f = findings(9, 9);
    f.floor.reset();
    CHECK(decide(f).outcome == Outcome::warn);
    CHECK(decide(f).cause == "link.bulk-unjudged");
}

TEST_CASE("Connections that were all reset in the middle are no slow link, though iperf3 3.18 says nothing of it") {
    Findings f = findings(0.1567, 9);
    Report& r = f.flows[0].report;
    r.version = "3.18";
    r.intervals = {{1, 399.3e6}, {1, 264.1e6}, {1, 0}, {1, 0}};  // as it told a run whose four streams were reset
    const Verdict broken = decide(f);
    CHECK(broken.cause == "link.bulk-broken");
    CHECK_THAT(broken.reason, ContainsSubstring("for 2 s, and nothing in its last 2 s"));
    r.intervals = {{1, 399.3e6}, {1, 0}, {1, 264.1e6}, {1, 1}};  // a pause is none
    CHECK(decide(f).cause == "link.bulk-slow-one-way");
    r.intervals = {{1, 1.5e6}, {1, 0}};  // a block may not fit into every second of a slow link
    CHECK(decide(f).cause == "link.bulk-slow-one-way");
}

TEST_CASE("A flow that was no measurement decides by its own reason, and the values of the remedy are there") {
    const std::pair<const char*, const char*> cases[] = {
        {samples::refused, "link.bulk-no-server"},    {samples::busy, "link.bulk-busy"},     {samples::unroutable, "link.bulk-unroutable"},
        {samples::unanswered, "link.bulk-no-answer"}, {samples::killed, "link.bulk-broken"}, {samples::hanging, "link.bulk-stalled"}};
    for (const auto& [text, cause] : cases) {
        Findings f = findings(9, 9);
        f.flows.resize(1);
        f.flows[0].report = parse_report(text);
        INFO(cause);
        const Verdict v = decide(f);
        CHECK(v.cause == cause);
        CHECK(v.values["name"] == "node-b");
        CHECK(v.values["port"] == 5201);
    }
}

TEST_CASE("A port that is not answered is named for the firewall where it stays, and not where it is another one every time") {
    Findings f = findings(9, 9);
    f.flows[0].report = parse_report(samples::unanswered);
    CHECK(decide(f).cause == "link.bulk-no-answer");
    CHECK(decide(f).values["ports"] == json{"port", 5201});
    f.port = 44517;
    f.served_by_half = true;
    CHECK(decide(f).cause == "link.bulk-no-answer");
    CHECK(decide(f).values["ports"] == json{"to", "any", "port"});
    CHECK_THAT(decide(f).reason, ContainsSubstring("where the other half serves"));
    f.flows[0].report = parse_report(samples::refused);
    CHECK_FALSE(decide(f).values.contains("ports"));
}

TEST_CASE("A link that lost its carrier is told as that, whatever it carried; where there was no load, the reason for that is told") {
    Findings f = findings(9, 9);
    f.lost = {{.machine = "node-b", .interface = "direct", .times = 1, .gone = false}};
    const Verdict v = decide(f);
    CHECK(v.outcome == Outcome::fail);
    CHECK(v.cause == "link.bulk-flapped");
    CHECK(v.reason == "direct of node-b lost its carrier 1 time during the test; " + summary(f));
    CHECK(v.values["where"] == "node-b");
    CHECK(v.values["interface"] == "direct");
    for (Findings other : {findings(2, 3), findings(9, 2), findings(2, 9)}) {
        CHECK(decide(other).cause.starts_with("link.bulk-slow"));
        other.lost = f.lost;
        CHECK(decide(other).cause == "link.bulk-flapped");
    }
    f.flows.resize(1);
    for (const char* text : {samples::hanging, samples::killed}) {
        f.flows[0].report = parse_report(text);
        CHECK(decide(f).cause == "link.bulk-flapped");
    }
    f.flows[0].report = parse_report(samples::refused);
    CHECK(decide(f).cause == "link.bulk-no-server");
}

TEST_CASE("An error that nobody knows, or an end without sums, is no answer") {
    Findings f = findings(9, 9);
    f.flows[0].report.end = End::other;
    CHECK_THROWS_AS(decide(f), Unknown);
    f = findings(9, 9);
    f.flows[0].report.summed = false;
    CHECK_THROWS_AS(decide(f), Unknown);
}

TEST_CASE("The floor is a rate, or a share of the lowest ceiling, which is named") {
    const Rate port{200'000'000'000}, pcie{126'000'000'000}, expect{92'000'000'000};
    CHECK(floor_from(units::parse_rate_or_fraction("20Gbit"), {})->bits_per_second == 20e9);
    CHECK(floor_from(units::parse_rate_or_fraction("20Gbit"), {{port, "port"}})->bits_per_second == 20e9);
    CHECK(floor_from(units::parse_rate_or_fraction("80%"), {{port, "port"}, {expect, "expect"}, {pcie, "pcie"}})->bits_per_second ==
          Approx(73.6e9));
    CHECK_THAT(floor_from(units::parse_rate_or_fraction("0.5"), {{port, "port"}, {pcie, "pcie"}})->words,
               ContainsSubstring("50 % of 126 Gbit/s, pcie"));
    CHECK_FALSE(floor_from(units::parse_rate_or_fraction("80%"), {}).has_value());
}

TEST_CASE("Port and slot are read from sysfs: the narrowest link on the way counts, not what a USB4 tunnel calls itself") {
    const Tree tree;
    const std::string slot = "sys/devices/pci0000:00/0000:00:01.0", card = slot + "/0000:01:00.0";
    tree.file(slot + "/current_link_speed", "32.0 GT/s PCIe");
    tree.file(slot + "/current_link_width", "2");
    tree.file(card + "/current_link_speed", "32.0 GT/s PCIe");
    tree.file(card + "/current_link_width", "4");
    for (const auto& function : {slot, card}) {
        tree.file(function + "/max_link_speed", "32.0 GT/s PCIe");
        tree.file(function + "/max_link_width", "4");
    }
    tree.file(card + "/net/eth0/ifindex", "7");
    tree.file(card + "/net/eth0/speed", "200000");
    std::filesystem::create_directory_symlink("../../../0000:01:00.0", tree.root / (card + "/net/eth0/device"));
    std::filesystem::create_directories(tree.root / "sys/class/net");
    std::filesystem::create_directory_symlink("../../devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/eth0",
                                              tree.root / "sys/class/net/eth0");

    const Hardware found = hardware_of(tree.root, "eth0", 7);
    CHECK(found.place == "/" + card);
    CHECK(found.port == Rate{200'000'000'000});
    REQUIRE(found.pcie);
    CHECK(found.pcie->bits_per_second == Approx(63.015e9).epsilon(1e-3));
    CHECK(hardware_of(tree.root, "eth0", 8).place.empty());  // another network's eth0
    CHECK(hardware_of(tree.root, "eth1", 7).place.empty());

    tree.file(slot + "/current_link_speed", "2.5 GT/s PCIe");
    tree.file(slot + "/current_link_width", "1");
    tree.file(slot + "/max_link_speed", "2.5 GT/s PCIe");
    tree.file(slot + "/max_link_width", "1");
    CHECK(hardware_of(tree.root, "eth0", 7).pcie->bits_per_second == Approx(126.03e9).epsilon(1e-3));
    for (const char* unknown : {"-1", "0", "65535", "4294967295", "x"}) {
        tree.file(card + "/net/eth0/speed", unknown);
        CHECK_FALSE(hardware_of(tree.root, "eth0", 7).port);
    }
}

TEST_CASE("A floor above the link's speed is the runbook's fault; one that the link could carry is the link's") {
    Findings f = findings(9, 9);
    f.rated = Rate{10'000'000'000};
    f.floor = floor_from(units::parse_rate_or_fraction("20Gbit"), {});
    const Verdict v = decide(f);
    CHECK(v.cause == "link.bulk-floor-too-high");
    CHECK_THAT(v.reason, ContainsSubstring("is a link of 10 Gbit/s"));
    f.floor = floor_from(units::parse_rate_or_fraction("9.5Gbit"), {});
    CHECK(decide(f).cause == "link.bulk-slow");
    f.rated.reset();
    f.floor = floor_from(units::parse_rate_or_fraction("20Gbit"), {});
    CHECK(decide(f).cause == "link.bulk-slow");  // nobody knows what it could carry
}

TEST_CASE("A result is reused only over the same adapter: another card in its slot, or another port of the bond, is another one") {
    const auto interface = [](unsigned index, const char* name, const char* kind, const char* mac) {
        probe::Interface made;
        made.index = index;
        made.name = name;
        made.kind = kind;
        made.permanent_mac = mac;
        return made;
    };
    std::vector<probe::Interface> all = {interface(2, "eth0", "", "48:b0:2d:00:00:01"),
                                         interface(3, "eth1", "", "48:b0:2d:00:00:02"),
                                         interface(4, "bond0", "bond", ""),
                                         interface(5, "bond0.7", "vlan", ""),
                                         interface(6, "veth7", "veth", ""),
                                         interface(7, "br0", "bridge", "")};
    all[3].lower = 4;
    const auto slot = [](const probe::Interface& port) { return port.name == "eth0" ? std::string("0000:01:00.0") : std::string(); };
    CHECK(adapter_words(all[0], all, slot) == "0000:01:00.0 48:b0:2d:00:00:01");
    CHECK(adapter_words(all[1], all, slot) == "eth1 48:b0:2d:00:00:02");
    CHECK(adapter_words(all[3], all, slot) == "bond0");
    all[0].master = all[1].master = 4;
    CHECK(adapter_words(all[3], all, slot) == "bond0: 0000:01:00.0 48:b0:2d:00:00:01, eth1 48:b0:2d:00:00:02");
    all[4].master = 7;  // a container's end, which is another one tomorrow
    CHECK(adapter_words(all[5], all, slot) == "br0");
}
