#include <diag/units.hpp>

#include <diag/types.hpp>

#include "catch.hpp"

using namespace diag;
using namespace diag::units;

TEST_CASE("every unit is read as people write it") {
    CHECK(parse_duration("20s") == 20);
    CHECK(parse_duration("500ms") == 0.5);
    CHECK(parse_duration("2m") == 120);
    CHECK(parse_duration("2min") == 120);
    CHECK(parse_duration("1h") == 3600);
    CHECK(parse_duration("30d") == 2592000);
    CHECK(parse_duration("0") == 0);
    CHECK(parse_rate("25Gbit").bits_per_second == 25'000'000'000);
    CHECK(parse_rate("2.5Gbit").bits_per_second == 2'500'000'000);
    CHECK(parse_rate("100Mbit/s").bits_per_second == 100'000'000);
    CHECK(parse_bytes("9000") == 9000);
    CHECK(parse_bytes("64KiB") == 65536);
    CHECK(parse_bytes("2GB") == 2'000'000'000);
    CHECK(parse_bytes("1.5KiB") == 1536);
    CHECK(parse_fraction("0.8") == 0.8);
    CHECK(parse_fraction("80%") == 0.8);
    CHECK(parse_integer("-3") == -3);
    CHECK(parse_number("-0.5") == -0.5);
    CHECK(parse_boolean("true"));
}

TEST_CASE("what could mean two things, or nothing, is refused with what was expected") {
    for (const char* text : {"", "20", "s", "20 s", "20sec", "-1s", "+1s", "1e3s", "007s", "1.2.3s", "nan", "inf", "0x10s"})
        CHECK_THROWS_AS(parse_duration(text), BadValue);
    for (const char* text : {"25", "25G", "25GB", "25gbit", "Gbit", "99999999999Tbit"}) CHECK_THROWS_AS(parse_rate(text), BadValue);
    for (const char* text : {"9000b", "0900", "1.5", "64K", "64kib", "-1", "9e3", "99999999999999999999"})
        CHECK_THROWS_AS(parse_bytes(text), BadValue);
    for (const char* text : {"80 %", "%", "4/5", "150%", "1.01"}) CHECK_THROWS_AS(parse_fraction(text), BadValue);
    for (const char* text : {"1.0", "007", "0x1", "", "-", "1 ", "99999999999999999999"}) CHECK_THROWS_AS(parse_integer(text), BadValue);
    for (const char* text : {"yes", "True", "1", ""}) CHECK_THROWS_AS(parse_boolean(text), BadValue);
    CHECK_THROWS_AS(typed_value(type::list, "a"), BadValue);
}

TEST_CASE("values are shown with the unit a person would choose") {
    CHECK(show_rate({2'500'000'000}) == "2.5 Gbit/s");
    CHECK(show_rate({12}) == "12 bit/s");
    CHECK(show_duration(0.00011) == "110 us");
    CHECK(show_duration(0.25) == "250 ms");
    CHECK(show_duration(41.2) == "41.2 s");
    CHECK(show_duration(600) == "10 min");
}

TEST_CASE("a limit judges both of its ends, and NaN keeps to none") {
    CHECK(exactly(9000).holds(9000));
    CHECK_FALSE(exactly(9000).holds(8999));
    CHECK(between(1, 2).holds(2));
    CHECK_FALSE(at_most(1).holds(1.1));
    CHECK(no_limit.holds(-1));
    CHECK_FALSE(at_least(0).holds(std::nan("")));
}
