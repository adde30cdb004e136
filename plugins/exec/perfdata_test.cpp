#include "perfdata.hpp"

#include "catch.hpp"

using namespace diag::exec;

TEST_CASE("Text, long text and performance data are told apart, on the first line and below") {
    const Output one = split_output("DISK OK - free space: / 3326 MB | /=2643MB;5948;5958;0;5968\n");
    CHECK(one.text == "DISK OK - free space: / 3326 MB");
    CHECK(one.long_text.empty());
    CHECK(one.perfdata == "/=2643MB;5948;5958;0;5968");
    const Output many = split_output("DISK OK | /=1MB\n/ 15272 MB\n/boot 68 MB | /boot=68MB;88;93\n/home=69357MB\n");
    CHECK(many.text == "DISK OK");
    CHECK(many.long_text == "/ 15272 MB\n/boot 68 MB");
    CHECK(many.perfdata == "/=1MB /boot=68MB;88;93\n/home=69357MB");
    CHECK(parse_perfdata(many.perfdata).values.size() == 3);
    CHECK(split_output("").text.empty());
    CHECK(split_output("|a=1").perfdata == "a=1");
}

TEST_CASE("A range alerts outside of its bounds, both allowed, and with @ inside") {
    const auto alerts = [](const char* range, double value) { return parse_range(range)->alerts(value); };
    for (const double value : {-1.0, 10.5}) CHECK(alerts("10", value));
    for (const double value : {0.0, 10.0}) CHECK_FALSE(alerts("10", value));
    CHECK(alerts("10:", 9));
    CHECK_FALSE(alerts("10:", 10));
    CHECK(alerts("~:10", 11));
    CHECK_FALSE(alerts("~:10", -1e9));
    CHECK(alerts("10:20", 21));
    for (const double value : {10.0, 15.0, 20.0}) CHECK(alerts("@10:20", value));
    for (const double value : {9.0, 21.0}) CHECK_FALSE(alerts("@10:20", value));
    CHECK(alerts("-20:-10", 0));
    CHECK_FALSE(alerts(":5", 0));
}

TEST_CASE("A range is a minimum and a maximum where those can say it") {
    CHECK(parse_range("10")->limit()->min == 0.0);
    CHECK(parse_range("10")->limit()->max == 10.0);
    CHECK_FALSE(parse_range("~:10")->limit()->min);
    CHECK_FALSE(parse_range("10:")->limit()->max);
    CHECK_FALSE(parse_range("@10:20")->limit());
}

TEST_CASE("What is no range is not taken for one") {
    for (const char* bad : {"", "@", "20:10", "a", "1,5", "1:2:3", "10:x", "nan", "inf", "~", "+5", "5 "}) {
        INFO(bad);
        CHECK_FALSE(parse_range(bad));
    }
}

TEST_CASE("Values carry their label, unit and ranges") {
    const Perfdata data =
        parse_perfdata("time=0.0023s;1;2;0;10 'free % of ''/'''=93% rta=1500us;~:3000;@1:2 in=5c size=12B load=.5 x=-3e2KB;;9:;");
    CHECK(data.problems.empty());
    REQUIRE(data.values.size() == 7);
    CHECK(data.values[0].label == "time");
    CHECK(data.values[0].unit == "s");
    CHECK(data.values[0].warning->high == 1.0);
    CHECK(data.values[0].critical->high == 2.0);
    CHECK(data.values[1].label == "free % of '/'");
    CHECK(data.values[1].unit == "%");
    CHECK(data.values[2].unit == "us");
    CHECK(data.values[2].value == 1500);
    CHECK(data.values[2].warning->high == 3000.0);
    CHECK(data.values[3].unit == "count");
    CHECK(data.values[4].unit == "bytes");
    CHECK(data.values[5].value == 0.5);
    CHECK(data.values[6].value == -300);
    CHECK_FALSE(data.values[6].warning);
    CHECK(data.values[6].critical->low == 9.0);
}

TEST_CASE("What cannot be read is told, and what stands beside it is read") {
    const Perfdata data = parse_perfdata("lost a=U b=1,5 c=1;20:10 ok=2 'open=1 gone=2");
    REQUIRE(data.values.size() == 1);
    CHECK(data.values[0].label == "ok");
    CHECK(data.problems.size() == 5);
    const Perfdata last = parse_perfdata("d=nan e= =5 ok=2");
    REQUIRE(last.values.size() == 1);
    CHECK(last.values[0].label == "ok");
    CHECK(last.problems.size() == 3);
    CHECK(parse_perfdata("a\x1b[2J=1").values[0].label == "a\\x1b[2J");
}
