#include "bulk_report.hpp"

#include <unistd.h>

#include <chrono>

#include <diag/verdict.hpp>

#include "bulk_cpu.hpp"
#include "bulk_samples.hpp"
#include "catch.hpp"

using namespace diag::bulk;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("A healthy run gives rates, retransmits and processors, either way") {
    for (const char* text : {samples::healthy, samples::healthy_reverse}) {
        const Report r = parse_report(text);
        CHECK(r.end == End::finished);
        CHECK(r.error.empty());
        CHECK(r.version == "3.12");
        CHECK(r.summed);
        CHECK(r.sent > 970e6);
        CHECK(r.received > 950e6);
        CHECK(r.retransmits == 0.0);
        CHECK(r.cpu_here.has_value());
        CHECK(r.cpu_there.has_value());
        CHECK(r.intervals.size() == 2);
        CHECK_FALSE(r.stalled());
        CHECK(r.lost_share() == 0.0);
    }
}

TEST_CASE("A rate that no port has is not one") {
    for (const char* rate : {"1e300", "-5.0"}) {
        const std::string sums = R"({"end":{"sum_sent":{"bits_per_second":9e8,"bytes":1e8},"sum_received":{"bits_per_second":)";
        CHECK_FALSE(parse_report(sums + rate + "}}}").summed);
        CHECK(parse_report(sums + "9e8}}}").summed);
    }
}

TEST_CASE("An error is believed, not the exit status 0 that iperf3 3.12 gives beside it") {
    CHECK(parse_report(samples::refused).end == End::refused);
    CHECK(parse_report(samples::unroutable).end == End::unroutable);
    CHECK(parse_report(samples::unanswered).end == End::unanswered);
    CHECK(parse_report(samples::busy).end == End::busy);
    for (const char* text : {samples::refused, samples::unroutable, samples::unanswered, samples::busy}) {
        CHECK_FALSE(parse_report(text).summed);
        CHECK_FALSE(parse_report(text).stalled());
    }
}

TEST_CASE("A run that was broken off is no measurement, though its intervals stayed; the one told twice counts once") {
    for (const char* text : {samples::killed, samples::killed_reverse}) {
        const Report r = parse_report(text);
        CHECK(r.end == End::broken);
        CHECK_FALSE(r.summed);
        CHECK(r.intervals.size() == 1);
        CHECK(r.intervals[0].bits_per_second > 900e6);
    }
}

TEST_CASE("A run that had to be ended stalled, and the seconds without a byte are told") {
    const Report r = parse_report(samples::hanging);
    CHECK(r.end == End::terminated);
    CHECK(r.stalled());
    CHECK(r.silent_at_the_end() > 57);
}

TEST_CASE("A run that sent and delivered nothing is a stall, though it ended well; retransmits below zero are not known") {
    const std::string text = R"({"start":{"version":"iperf 3.12"},"intervals":[{"sum":{"seconds":1,"bits_per_second":3900000}},
        {"sum":{"seconds":1,"bits_per_second":0}},{"sum":{"seconds":1,"bits_per_second":0}}],
        "end":{"sum_sent":{"bits_per_second":1300000,"bytes":487500,"retransmits":18446744073709551615},
               "sum_received":{"bits_per_second":0,"bytes":0}}})";
    const Report r = parse_report(text);
    CHECK(r.end == End::finished);
    CHECK(r.stalled());
    CHECK(r.silent_at_the_end() == 2);
    CHECK_FALSE(r.retransmits.has_value());
    CHECK_FALSE(r.lost_share().has_value());
    CHECK_FALSE(parse_report(replaced(text, "\"bits_per_second\":0,\"bytes\":0", "\"bits_per_second\":9,\"bytes\":3")).stalled());
}

TEST_CASE("Other text before and after the report changes nothing, braces and quotes included") {
    const std::string report = samples::healthy;
    for (const std::string& text : {"warning: {odd} \"text\n" + report, report + "\niperf3: parameter {} ignored\n", "{{{\n" + report,
                                    "{\"note\": 1}\n" + report + "{\"start\": {}}"}) {
        INFO(text.substr(0, 40));
        CHECK(parse_report(text).received == parse_report(report).received);
    }
}

TEST_CASE("The pieces of --json-stream are the same report") {
    const Report r = parse_report(R"({"event":"start","data":{"version":"iperf 3.17.1","tcp_mss_default":8948}}
{"event":"interval","data":{"sum":{"seconds":1,"bits_per_second":5}}}
{"event":"end","data":{"sum_sent":{"bits_per_second":7,"bytes":1},"sum_received":{"bits_per_second":6}}})");
    CHECK(r.version == "3.17.1");
    CHECK(r.segment == 8948);
    CHECK(r.intervals.size() == 1);
    CHECK(r.received == 6);
    CHECK(parse_report(R"({"event":"start","data":{}}
{"event":"error","data":"the server is busy running a test. try again later"}
{"event":"end","data":{}})")
              .end == End::busy);
}

TEST_CASE("The longer words of newer versions mean the same; words that nobody knows are not taken for a reason") {
    CHECK(end_of("unable to connect to server - server may have stopped running or use a different port, firewall issue, etc.: "
                 "Connection refused") == End::refused);
    CHECK(end_of("unable to connect to server: No route to host") == End::unroutable);
    CHECK(end_of("control socket has closed unexpectedly") == End::broken);
    CHECK(end_of("the server has terminated") == End::broken);
    CHECK(end_of("test authorization failed") == End::other);
    CHECK(end_of("") == End::finished);
}

TEST_CASE("From 3.16 on a stream has a core of its own; an unknown version is taken for an old one") {
    for (const auto& [version, old] :
         {std::pair{"3.12", true}, {"3.15", true}, {"3.16", false}, {"3.19.1+", false}, {"4.0", false}, {"", true}, {"x", true}}) {
        INFO(version);
        const std::string told = version[0] == 0 ? "" : std::string("iperf ") + version;
        CHECK(single_threaded(parse_report(replaced(samples::healthy, "iperf 3.12", told)).version) == old);
    }
}

TEST_CASE("What is no report of iperf3 is no answer") {
    for (const char* text :
         {"", "Segmentation fault", "{}", "{\"a\":1}", "[1,2]", "{\"start\":{\"version\":\"iperf 3.12\"", "iperf3: error - unable {x}"}) {
        INFO(text);
        CHECK_THROWS_AS(parse_report(text), diag::Unknown);
    }
}

TEST_CASE("Members of another type than usual are not known, and harm nothing") {
    const Report r =
        parse_report(R"({"start":[],"intervals":7,"end":{"sum_sent":[],"sum_received":{"bits_per_second":"fast"}},"error":{"code":5}})");
    CHECK(r.end == End::other);
    CHECK_FALSE(r.summed);
    CHECK(r.version.empty());
}

TEST_CASE("The processor that spent most on receiving packets is found from two readings of /proc/stat") {
    const auto before =
        parse_processors("cpu  9 0 0 9 0 0 9 0 0 0\ncpu0 100 0 100 800 0 0 10 0 0 0\ncpu1 100 0 100 800 0 0 20 0 0 0\nintr 5\n");
    const auto after =
        parse_processors("cpu  9 0 0 9 0 0 9 0 0 0\ncpu0 110 0 110 870 0 0 20 0 0 0\ncpu1 101 0 101 803 0 0 115 0 0 0\nintr 9\n");
    REQUIRE(before.size() == 2);
    CHECK(busiest_in_softirq(before, after).name == "cpu1");
    CHECK(busiest_in_softirq(before, after).share == Approx(0.95));
    CHECK(busiest_in_softirq(before, after).busy == Approx(0.97));
    CHECK(busiest_in_softirq(before, before).name.empty());
    CHECK(parse_processors("").empty());
}

TEST_CASE("What a thread had of a processor, and how long it waited for one, is told of a process that lives, and of no other") {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    while (std::chrono::steady_clock::now() < until) {
    }
    const ThreadTime own = keenest_thread(::getpid());
    CHECK(own.wanted() >= 0.05);
    CHECK(own.ran > 0);
    CHECK(keenest_thread(0).wanted() == 0);
}

TEST_CASE("How many processors were idle is told from two readings of /proc/stat; a single one has none to spare") {
    const auto before = parse_processors("cpu0 100 0 100 800 0 0 0 0\ncpu1 100 0 100 800 50 0 0 0\ncpu2 0 0 0 0 0 0 0 0\n");
    const auto after = parse_processors("cpu0 200 0 100 800 0 0 0 0\ncpu1 100 0 100 880 70 0 0 0\ncpu2 25 0 25 50 0 0 0 0\n");
    CHECK(*idle_processors(before, after) == Approx(1.5));  // waiting for a disk is idle, too
    CHECK_FALSE(idle_processors(before, before).has_value());
    CHECK_FALSE(idle_processors({}, after).has_value());
    const auto one = parse_processors("cpu0 100 0 100 800 0 0 0 0\n"), later = parse_processors("cpu0 110 0 100 890 0 0 0 0\n");
    CHECK(*idle_processors(one, later) == 0);
}
