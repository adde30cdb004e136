#include "state_judge.hpp"

#include "catch.hpp"
#include "fake_world.hpp"

namespace state_test {

using namespace diag;
using namespace diag::link;

static StateQuestion of(const std::string& interface, std::optional<Rate> speed = std::nullopt) {
    return {interface, speed, std::nullopt, std::nullopt};
}

static Verdict ask(FakeWorld& world, const StateQuestion& question = of("wire")) { return judge_state(question, world).verdict; }

// A hardware port in the tree with the index that the fake kernel gives it.
static void hardware(FakeWorld& world, const std::string& name, probe::testing::Tree::Files files, const std::string& bus = "pci") {
    const auto index = world.at_name(name).index;
    files.merge(probe::testing::Tree::Files{{"ifindex", std::to_string(index)}, {"duplex", "full"}});
    const std::string device = "pci0000:00/0000:0" + std::to_string(index) + ":00.0";
    world.tree.interface(name, device, files);
    world.tree.device(device, bus, "igc");
}

constexpr Rate gbit(double value) { return {static_cast<std::int64_t>(value * 1e9)}; }

TEST_CASE("an interface with carrier and the planned speed passes, and says what it is") {
    FakeWorld world;
    hardware(world, "wire", {{"speed", "2500"}});
    world.at_name("wire").permanent_mac = "48:b0:2d:00:00:01";
    const auto finding = judge_state(of("wire", gbit(2.5)), world);
    CHECK(finding.verdict.outcome == Outcome::pass);
    CHECK(finding.verdict.reason == "wire has carrier, 2.5 Gbit/s, full duplex, MTU 1500, igc at 0000:03:00.0");
    REQUIRE(finding.facts.size() == 3);
    CHECK(finding.facts[0] == std::pair<std::string, std::string>("adapter 48:b0:2d:00:00:01 interface", "wire"));
    CHECK(finding.facts[1].second == "0000:03:00.0");
    CHECK(finding.facts[2].second == "igc");
    CHECK_THAT(finding.evidence, ContainsSubstring("10.10.0.1/24"));
}

TEST_CASE("a speed below the plan fails, and one above it does not") {
    FakeWorld world;
    hardware(world, "wire", {{"speed", "1000"}});
    const auto slower = ask(world, of("wire", gbit(2.5)));
    CHECK(slower.cause == "link.slower");
    CHECK_THAT(slower.reason, ContainsSubstring("negotiated 1 Gbit/s, 2.5 Gbit/s are planned"));
    CHECK(ask(world, of("wire", gbit(1))).outcome == Outcome::pass);
    CHECK(ask(world, of("wire", gbit(0.1))).outcome == Outcome::pass);
    CHECK(ask(world, of("wire")).outcome == Outcome::pass);
}

TEST_CASE("switched off, without carrier and not let in are three causes, and a stale speed speaks in none of them") {
    FakeWorld world;
    hardware(world, "wire", {{"speed", "10000"}});
    auto& wire = world.at_name("wire");
    wire.operstate = "dormant";
    CHECK(ask(world, of("wire", gbit(10))).cause == "link.dormant");
    wire.carrier = false;
    wire.operstate = "down";
    const auto finding = judge_state(of("wire", gbit(10)), world);
    CHECK(finding.verdict.cause == "link.no-carrier");
    for (const auto& measured : finding.measured) CHECK(measured.name != "speed");
    wire.up = false;
    CHECK(ask(world, of("wire", gbit(10))).cause == "link.down");
    wire.up = wire.carrier = true;
    wire.operstate = "unknown";  // many drivers never set it
    CHECK(ask(world, of("wire", gbit(10))).outcome == Outcome::pass);
}

TEST_CASE("a cable in an interface that nobody configured is named, and one that serves otherwise is not") {
    FakeWorld world;
    world.at_name("wire").carrier = false;
    CHECK(ask(world).cause == "link.no-carrier");  // eth0 has an address
    world.add("spare", 4);
    const auto elsewhere = ask(world);
    CHECK(elsewhere.cause == "link.carrier-elsewhere");
    CHECK(elsewhere.values["found"] == "spare");
    world.has(4, "fe80::1%4", 64);  // comes by itself
    CHECK(ask(world).cause == "link.carrier-elsewhere");
    auto& spare = world.at_name("spare");
    spare.master = 2;
    CHECK(ask(world).cause == "link.no-carrier");
    spare.master = 0;
    spare.carrier = false;
    CHECK(ask(world).cause == "link.no-carrier");
    spare.carrier = true;
    spare.kind = "veth";  // a container's
    CHECK(ask(world).cause == "link.no-carrier");
    spare.kind = "";
    world.has(4, "10.20.0.1", 24);
    CHECK(ask(world).cause == "link.no-carrier");
}

TEST_CASE("half duplex is a cause of its own, and an unknown duplex is none") {
    FakeWorld world;
    hardware(world, "wire", {{"speed", "1000"}, {"duplex", "half"}});
    CHECK(ask(world, of("wire", gbit(1))).cause == "link.half-duplex");
    hardware(world, "eth0", {{"speed", "1000"}, {"duplex", "unknown"}});
    CHECK(ask(world, of("eth0", gbit(1))).outcome == Outcome::pass);
}

TEST_CASE("a speed that hardware does not tell is a warning; one that is asked of what has none of its own is a skip, and no pass") {
    FakeWorld world;
    hardware(world, "wire", {{"speed", "-1"}});
    const auto unknown = ask(world, of("wire", gbit(1)));
    CHECK(unknown.outcome == Outcome::warn);
    CHECK(unknown.cause == "link.speed-unknown");
    CHECK_THAT(unknown.reason, ContainsSubstring("the driver says -1"));
    CHECK(ask(world, of("wire")).outcome == Outcome::pass);  // nobody asked for it
    hardware(world, "eth0", {{"speed", "-1"}}, "virtio");
    const auto virtio = ask(world, of("eth0", gbit(1)));
    CHECK(virtio.outcome == Outcome::skip);
    CHECK_THAT(virtio.reason, ContainsSubstring("it has carrier; its speed is not judged: a virtual machine's virtio device"));
    CHECK(ask(world, of("eth0")).outcome == Outcome::pass);
    world.add("radio", 4);
    hardware(world, "radio", {{"speed", "-1"}, {"uevent", "DEVTYPE=wlan"}});
    CHECK_THAT(ask(world, of("radio", gbit(1))).reason, ContainsSubstring("a radio's rate"));
    world.add("veth", 5, "veth");
    world.tree.interface("veth", "", {{"ifindex", "5"}, {"speed", "10000"}});
    const auto finding = judge_state(of("veth", gbit(100)), world);
    CHECK(finding.verdict.outcome == Outcome::skip);
    CHECK(finding.verdict.reason == "it has carrier; its speed is not judged: a veth interface reports an invented one");
    CHECK(finding.facts.empty());
    for (const auto& measured : finding.measured) CHECK(measured.name != "speed");
    CHECK(ask(world, of("veth")).outcome == Outcome::pass);  // nobody asked for it
    CHECK_THAT(ask(world, of("veth")).reason, ContainsSubstring("veth has carrier") && ContainsSubstring("its speed is not judged"));
}

TEST_CASE("what is wrong with a virtual interface is said, though its speed cannot be judged") {
    FakeWorld world;
    auto& veth = world.add("veth", 5, "veth");
    const auto asked = of("veth", gbit(100));
    world.meanwhile = [&] { world.at_name("veth").counters->rx_errors += 100; };
    CHECK(ask(world, asked).cause == "link.errors-growing");
    world.meanwhile = [] {};
    CHECK(ask(world, asked).outcome == Outcome::skip);
    veth.carrier = false;
    CHECK(ask(world, asked).cause == "link.no-carrier");
    veth.up = false;
    CHECK(ask(world, asked).cause == "link.down");
    auto& bond = world.add("bond0", 9, "bond");
    for (const unsigned index : {6U, 7U}) world.add("lane" + std::to_string(index), index, "veth").master = bond.index;
    world.tree.link("/sys/class/net/bond0", "../../devices/virtual/net/bond0");
    world.tree.file("/sys/devices/virtual/net/bond0/bonding/mode", "802.3ad 4");
    CHECK_THAT(ask(world, of("bond0", gbit(2))).reason, ContainsSubstring("of its member lane6: a veth interface reports an invented one"));
    CHECK(ask(world, of("bond0", gbit(2))).outcome == Outcome::skip);
    world.at_name("lane7").carrier = false;
    CHECK(ask(world, of("bond0", gbit(2))).cause == "link.member-down");
}

TEST_CASE("hardware that /sys shows with another number belongs to another network, and is not read") {
    FakeWorld world;
    hardware(world, "wire", {{"ifindex", "77"}, {"speed", "100"}});
    const auto verdict = ask(world, of("wire", gbit(1)));
    CHECK(verdict.outcome == Outcome::skip);
    CHECK_THAT(verdict.reason, ContainsSubstring("/sys shows another network"));
    CHECK(ask(world, of("wire")).outcome == Outcome::pass);
}

TEST_CASE("a bond is as fast as its members with carrier together, and a lost member is a warning") {
    FakeWorld world;
    world.add("bond0", 9, "bond");
    for (const unsigned index : {4U, 5U}) {
        const std::string name = "eno" + std::to_string(index);
        world.add(name, index).master = 9;
        hardware(world, name, {{"speed", "25000"}});
    }
    world.tree.file("/sys/devices/virtual/net/bond0/bonding/mode", "802.3ad 4");
    world.tree.link("/sys/class/net/bond0", "../../devices/virtual/net/bond0");
    const auto whole = ask(world, of("bond0", gbit(50)));
    CHECK(whole.outcome == Outcome::pass);
    CHECK_THAT(whole.reason, ContainsSubstring("50 Gbit/s of its members eno4 and eno5"));
    world.at_name("eno5").carrier = false;
    const auto slower = ask(world, of("bond0", gbit(50)));
    CHECK(slower.outcome == Outcome::fail);
    CHECK(slower.cause == "link.member-down");
    CHECK_THAT(slower.reason, ContainsSubstring("25 Gbit/s of its members eno4, 50 Gbit/s are planned") &&
                                  ContainsSubstring("eno5, which is without carrier"));
    const auto lost = ask(world, of("bond0", gbit(25)));
    CHECK(lost.outcome == Outcome::warn);
    CHECK(lost.cause == "link.member-down");
    CHECK(lost.values["member"] == "eno5");
}

TEST_CASE("an active-backup bond is as fast as the member in use, and a VLAN as what it stands on") {
    FakeWorld world;
    world.add("bond0", 9, "bond");
    for (const unsigned index : {4U, 5U}) {
        const std::string name = "eno" + std::to_string(index);
        world.add(name, index).master = 9;
        hardware(world, name, {{"speed", index == 4 ? "25000" : "1000"}});
    }
    world.tree.link("/sys/class/net/bond0", "../../devices/virtual/net/bond0");
    world.tree.file("/sys/devices/virtual/net/bond0/bonding/mode", "active-backup 1");
    world.tree.file("/sys/devices/virtual/net/bond0/bonding/active_slave", "eno4");
    CHECK(ask(world, of("bond0", gbit(25))).outcome == Outcome::pass);
    CHECK(ask(world, of("bond0", gbit(26))).cause == "link.slower");
    world.tree.file("/sys/devices/virtual/net/bond0/bonding/mode", "");  // as a captured tree that holds no more of it
    const auto untold = ask(world, of("bond0", gbit(26)));
    INFO(untold.reason);
    CHECK_THAT(untold.reason, ContainsSubstring("which of its members carry traffic is not told"));
    CHECK(untold.outcome != Outcome::pass);
    world.add("eno4.7", 10, "vlan").lower = 4;
    CHECK(ask(world, of("eno4.7", gbit(25))).outcome == Outcome::pass);
    CHECK(ask(world, of("eno4.7", gbit(100))).cause == "link.slower");
}

TEST_CASE("an interface that is not there: what there is, or what its adapter is called now") {
    FakeWorld world;
    world.at_name("wire").permanent_mac = "48:b0:2d:00:00:01";
    StateQuestion question = of("enp1s0");
    const auto absent = ask(world, question);
    CHECK(absent.cause == "link.absent");
    CHECK_THAT(absent.reason, ContainsSubstring("there are eth0 (carrier) and wire (carrier)"));
    question.mac = "48:B0:2D:00:00:01";
    const auto renamed = ask(world, question);
    CHECK(renamed.cause == "link.renamed");
    CHECK(renamed.values["found"] == "wire");
    question.mac = "48:b0:2d:00:00:99";
    CHECK_THAT(ask(world, question).reason, ContainsSubstring("no adapter with the permanent MAC 48:b0:2d:00:00:99 either"));
    CHECK(ask(world, question).cause == "link.absent");
    hardware(world, "eth0", {});
    question.mac.reset();
    question.path = "02:00.0";
    CHECK(ask(world, question).values["found"] == "eth0");
}

TEST_CASE("a name that belongs to another adapter is found out by MAC or by path, and the right one is not suspected") {
    FakeWorld world;
    for (const auto* name : {"eth0", "wire"}) hardware(world, name, {{"speed", "1000"}});
    world.at_name("wire").permanent_mac = "48:b0:2d:00:00:01";
    world.at_name("eth0").permanent_mac = "48:b0:2d:00:00:02";
    StateQuestion question = of("wire");
    question.mac = "48:b0:2d:00:00:02";
    const auto moved = ask(world, question);
    CHECK(moved.cause == "link.other-adapter");
    CHECK(moved.values["found"] == "eth0");
    question.mac = "48:b0:2d:00:00:01";
    question.path = "0000:02:00.0";  // the card has been put into another slot
    CHECK(ask(world, question).outcome == Outcome::pass);
    question.mac.reset();
    CHECK(ask(world, question).cause == "link.other-adapter");
    question.path = "0000:03:00.0";
    CHECK(ask(world, question).outcome == Outcome::pass);
    world.at_name("wire").permanent_mac.clear();  // the kernel does not tell: no difference can be claimed
    question.mac = "48:b0:2d:00:00:02";
    CHECK(ask(world, question).outcome == Outcome::pass);
    for (const auto* bad : {"48:b0:2d", "not-a-mac-at-all", "48-b0-2d-00-00-01"}) {
        question.mac = bad;
        CHECK_THROWS_AS(ask(world, question), BadValue);
    }
}

TEST_CASE("errors that grow while it is watched are a warning; old ones, drops and a counter that starts anew are none") {
    FakeWorld world;
    hardware(world, "wire", {{"speed", "1000"}});
    auto& counters = *world.at_name("wire").counters;
    counters.rx_errors = 1'000'000;
    counters.rx_dropped = 5'000'000;
    world.meanwhile = [&] { counters.rx_dropped += 1000; };
    const auto finding = judge_state(of("wire"), world);
    CHECK(finding.verdict.outcome == Outcome::pass);
    CHECK_THAT(finding.saw, ContainsSubstring("1000000 errors since boot"));
    world.meanwhile = [&] { counters.rx_errors += 3; };
    CHECK(ask(world).cause == "link.errors-growing");
    world.meanwhile = [&] { counters.rx_errors += 2; };
    CHECK(ask(world).outcome == Outcome::pass);
    world.meanwhile = [&] { counters.rx_errors = 0; };
    CHECK(ask(world).outcome == Outcome::pass);
}

}  // namespace state_test
