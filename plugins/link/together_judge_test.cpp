#include "together_judge.hpp"

#include "catch.hpp"

using namespace diag;
using namespace diag::bulk;

namespace {

constexpr auto gigabit = 1'000'000'000;

Flow flow(bool reverse, double gigabits, unsigned index) {
    Flow f;
    f.reverse = reverse;
    f.report.summed = true;
    f.report.version = "3.16";
    f.report.sent = f.report.received = gigabits * gigabit;
    f.report.bytes = gigabits * gigabit / 8 * 20;
    f.report.cpu_here = f.report.cpu_there = 60;
    const auto bytes = static_cast<std::uint64_t>(f.report.bytes * 1.02);
    f.carried = {{index, "p" + std::to_string(index), reverse ? bytes : bytes / 50, reverse ? bytes / 50 : bytes}};
    return f;
}

Findings function(unsigned index, double there, double back) {
    Findings f;
    f.name = f.peer = "node-b-" + std::to_string(index);
    f.interface = "p" + std::to_string(index);
    f.processors = 20;
    f.own = {index};
    f.flows = {flow(false, there, index), flow(true, back, index)};
    return f;
}

// Two functions of a port of 200 Gbit/s.
Together together(double first, double second, double first_back, double second_back) {
    Together t;
    t.functions = {function(0, first, first_back), function(1, second, second_back)};
    t.floor = floor_from(units::parse_rate_or_fraction("80%"), {{Rate{200ll * gigabit}, "the speed of the port"}});
    t.processors = 20;
    return t;
}

probe::PcieStep step(const std::string& function, double gigatransfers, unsigned lanes) {
    return {function, {gigatransfers, lanes}, {gigatransfers, lanes}};
}

PortKnown spark(const std::string& second = "0002:01:00.0") {
    Hardware port;
    port.place = "/sys/devices/x";
    port.port = Rate{200ll * gigabit};
    return {.interfaces = {"a", "b"},
            .hardware = {port, port},
            .paths = {{step("0000:01:00.0", 32, 4)}, {step(second, 32, 4)}},
            .speeds = {},
            .expects = {}};
}

std::int64_t lowest(const PortKnown& known) {
    return static_cast<std::int64_t>(
        floor_from(units::parse_rate_or_fraction("100%"), total_ceilings(known)).value_or(Floor{}).bits_per_second);
}

}  // namespace

TEST_CASE("functions that carry enough together pass, with what each of them and all of them carried") {
    const Verdict v = decide(together(92, 91, 90, 93));
    CHECK(v.outcome == Outcome::pass);
    CHECK_THAT(v.reason, ContainsSubstring("together there 183 Gbit/s (p0 92 Gbit/s, p1 91 Gbit/s), back 183 Gbit/s"));
    CHECK_THAT(v.reason, ContainsSubstring("the floor is 160 Gbit/s: 80 % of 200 Gbit/s, the speed of the port"));
}

TEST_CASE("functions that halve each other are slow together, in whichever direction") {
    for (const Together& t : {together(50, 49, 91, 92), together(92, 91, 50, 49)}) {
        const Verdict v = decide(t);
        CHECK(v.outcome == Outcome::fail);
        CHECK(v.cause == "link.together-slow");
        CHECK_THAT(v.reason, ContainsSubstring("99 Gbit/s (p0 50 Gbit/s, p1 49 Gbit/s), the floor is 160 Gbit/s"));
        CHECK(v.values["interfaces"] == "p0 and p1");
        CHECK(v.values["interface"] == "p0");
    }
}

TEST_CASE("one function that starves is named, though the sum is enough; a share that is merely smaller is none") {
    const Verdict v = decide(together(170, 15, 92, 92));
    CHECK(v.outcome == Outcome::warn);
    CHECK(v.cause == "link.together-uneven");
    CHECK_THAT(v.reason, ContainsSubstring("p1 has less than a quarter of its fair share there"));
    CHECK(v.values["name"] == "node-b-1");
    CHECK(decide(together(150, 30, 92, 92)).outcome == Outcome::pass);
    Together unequal = together(170, 15, 170, 15);
    unequal.expects = {Rate{180ll * gigabit}, Rate{20ll * gigabit}};  // its fair share is what is expected of it
    CHECK(decide(unequal).outcome == Outcome::pass);
}

TEST_CASE("one that carries nothing beside others is pushed aside; where none carries, the link has stalled") {
    Together t = together(183, 0, 92, 92);
    for (auto& function : t.functions) function.flows.pop_back();
    const Verdict v = decide(t);
    CHECK(v.outcome == Outcome::fail);
    CHECK(v.cause == "link.together-uneven");
    CHECK_THAT(v.reason, ContainsSubstring("p1 carried nothing there while the others did"));
    CHECK(decide(together(0, 0, 92, 92)).cause != "link.together-uneven");
    Together dead = together(0, 0, 0, 0);
    for (auto& function : dead.functions) function.flows.pop_back();
    CHECK(decide(dead).cause == "link.bulk-stalled");
}

TEST_CASE("one whose link went away has stalled, and is named; one that was merely not let through is pushed aside") {
    Together t = together(183, 0, 92, 92);
    for (auto& function : t.functions) function.flows.pop_back();
    Report& report = t.functions[1].flows[0].report;
    report.end = End::terminated;
    report.summed = false;
    t.functions[1].flows[0].carried = {{1, "p1", 5000, 3000}};  // the connections, and what was sent again and again
    CHECK(decide(t).cause == "link.together-uneven");
    t.functions[0].lost = {{.machine = "node-a", .interface = "p0", .times = 1, .gone = false}};
    CHECK(decide(t).cause == "link.together-uneven");  // another's
    t.functions[1].lost = {{.machine = "node-a", .interface = "p1", .times = 1, .gone = true}};
    const Verdict v = decide(t);
    CHECK(v.outcome == Outcome::fail);
    CHECK(v.cause == "link.bulk-stalled");
    CHECK_THAT(v.reason, ContainsSubstring("p1 carried nothing there") && ContainsSubstring("p1 of node-a lost its carrier 1 time"));
    CHECK(v.values["interface"] == "p1");
    CHECK(v.values["name"] == "node-b-1");
    t.functions[1].lost.clear();
    t.functions[1].flows[0].carried = {{1, "p1", 0, 0}};
    CHECK(decide(t).cause == "link.bulk-stalled");
    t.functions[1].flows[0].carried.clear();  // not known
    CHECK(decide(t).cause == "link.together-uneven");
}

TEST_CASE("what ended one of the flows is told of its function") {
    Together t = together(92, 91, 90, 93);
    t.functions[1].flows[1].report.end = End::broken;
    t.functions[1].flows[1].report.error = "the server has terminated";
    const Verdict v = decide(t);
    CHECK(v.cause == "link.bulk-broken");
    CHECK(v.reason.starts_with("p1: "));
}

TEST_CASE("bytes of one function on the way of another are found; another's own bytes are not taken for them") {
    Together t = together(92, 91, 90, 93);
    auto& second = t.functions[1].flows[0];
    for (auto& function : t.functions)  // each flow sees what all interfaces carried
        function.flows[0].carried = {{0, "p0", 1000, static_cast<std::uint64_t>(183e9 / 8 * 20 * 1.02)}, {1, "p1", 1000, 1000}};
    CHECK(decide(t).cause == "link.bulk-other-interface");
    CHECK_THAT(decide(t).reason, ContainsSubstring("p1: ") && ContainsSubstring("over p0"));
    // A slow one has more in its socket's buffer than has left: that is missing on its own interface, and on no other.
    second = flow(false, 0.01, 1);
    for (auto& function : t.functions)
        function.flows[0].carried = {{0, "p0", 1000, static_cast<std::uint64_t>(93e9 / 8 * 20)},
                                     {1, "p1", 1000, static_cast<std::uint64_t>(second.report.bytes / 2)}};
    CHECK(decide(t).cause == "link.together-slow");
    // Nor on what is behind both of them.
    second.report.received = second.report.sent / 2;
    for (auto& function : t.functions)
        function.flows[0].carried.push_back({7, "behind", 1000, static_cast<std::uint64_t>(2 * 93e9 / 8 * 20)});
    CHECK(decide(t).cause == "link.together-slow");
}

TEST_CASE("full processors explain a low sum, of one program or of all together; above the floor they are no fault") {
    Together one = together(50, 49, 91, 92);
    one.functions[1].flows[0].report.version = "3.12";
    one.functions[1].flows[0].report.cpu_here = 99;
    CHECK_THROWS_AS(decide(one), Unknown);  // its machine has idle cores, which that program cannot use
    one.functions[1].flows[0].idle_here = 0.1;
    CHECK(decide(one).cause == "link.together-cpu-bound");
    CHECK_THAT(decide(one).reason, ContainsSubstring("p1: iperf3 here had 99 % of the one core"));
    Together all = together(50, 49, 91, 92);
    all.processors = 2;
    for (auto& function : all.functions) function.flows[0].report.cpu_here = 97;
    CHECK(decide(all).cause == "link.together-cpu-bound");
    CHECK_THAT(decide(all).reason, ContainsSubstring("97 % of this machine's 2 processors together"));
    Together enough = together(92, 91, 90, 93);
    enough.processors = 1;
    CHECK(decide(enough).outcome == Outcome::pass);
}

TEST_CASE("without a ceiling the rates are told, and not passed") {
    Together t = together(92, 91, 90, 93);
    t.floor.reset();
    CHECK(decide(t).outcome == Outcome::warn);
    CHECK(decide(t).cause == "link.together-unjudged");
}

TEST_CASE("the port's speed counts once; PCIe lanes add up where they are apart, and count once where they are shared") {
    CHECK(lowest(spark()) == 200ll * gigabit);  // twice x4 of 32 GT/s carry 252
    const auto one_device = spark("0000:01:00.1");
    CHECK(lowest(one_device) / gigabit == 126);
    const auto floor = floor_from(units::parse_rate_or_fraction("80%"), total_ceilings(one_device));
    CHECK_THAT(floor->words, ContainsSubstring("what PCIe gives a and b together"));
    auto half_known = one_device;
    half_known.paths[1].clear();  // what one of them has is not known: no ceiling by PCIe
    CHECK(lowest(half_known) == 200ll * gigabit);
}

TEST_CASE("what the site file says: the highest speed, and the sum of what is expected of each") {
    PortKnown known = spark();
    known.speeds = {Rate{200ll * gigabit}, Rate{200ll * gigabit}};
    known.expects = {Rate{92ll * gigabit}, Rate{97ll * gigabit}};
    CHECK(lowest(known) == 189ll * gigabit);
    known.hardware = {Hardware{}, Hardware{}};
    known.paths = {{}, {}};
    known.expects.clear();
    CHECK(lowest(known) == 200ll * gigabit);
    known.speeds.clear();
    CHECK(total_ceilings(known).empty());
}
