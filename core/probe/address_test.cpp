#include "probe/address.hpp"

#include "catch.hpp"

using diag::probe::Address;

TEST_CASE("an address is read and shown as people write it") {
    CHECK(Address::parse("10.0.0.1")->text() == "10.0.0.1");
    CHECK(Address::parse("2001:db8:0::1")->text() == "2001:db8::1");
    CHECK(Address::parse("fe80::1%lo")->text() == "fe80::1%lo");
    CHECK(Address::parse("fe80::1%1")->scope() == 1);
    CHECK(Address().text().empty());
}

TEST_CASE("what is no address is refused instead of guessed") {
    for (const char* text :
         {"", "10.0.0", "010.0.0.1", "10.0.0.1 ", "node-a", "fe80::1%no-such-if", "10.0.0.1%lo", "2001:db8::1%lo", "::1%", "1"})
        CHECK_FALSE(Address::parse(text).has_value());
}

TEST_CASE("every spelling of loopback is known, and nothing else is") {
    for (const char* text : {"127.0.0.1", "127.0.1.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"})
        CHECK(Address::parse(text)->loopback());
    for (const char* text : {"128.0.0.1", "10.127.0.1", "::2", "::", "::ffff:10.0.0.1", "fe80::1"})
        CHECK_FALSE(Address::parse(text)->loopback());
}

TEST_CASE("the port does not make two addresses differ, the scope does") {
    CHECK(*Address::parse("10.0.0.1") == Address::parse("10.0.0.1")->with_port(22));
    CHECK(*Address::parse("fe80::1%1") == Address::parse("fe80::1%1")->with_port(65535));
    CHECK_FALSE(*Address::parse("fe80::1%1") == *Address::parse("fe80::1"));
    CHECK_FALSE(*Address::parse("10.0.0.1") == *Address::parse("10.0.0.2"));
    CHECK_FALSE(*Address::parse("::") == *Address::parse("0.0.0.0"));
}

TEST_CASE("a link-local address gets the link that it lacks, and no other address is changed") {
    CHECK(Address::parse("fe80::1")->lacks_scope());
    CHECK(Address::parse("fe80::1")->on(1) == *Address::parse("fe80::1%1"));
    CHECK(Address::parse("fe80::1")->on(0).lacks_scope());
    CHECK(Address::parse("fe80::1%1")->on(2) == *Address::parse("fe80::1%1"));
    for (const char* text : {"10.0.0.1", "169.254.1.1", "fd10::1", "2001:db8::1", "::1"}) {
        CHECK_FALSE(Address::parse(text)->lacks_scope());
        CHECK(Address::parse(text)->on(1) == *Address::parse(text));
        CHECK(Address::parse(text)->on(1).scope() == 0);
    }
}

TEST_CASE("an address is in a prefix by its first bits, and never in one of the other family") {
    const auto in = [](const char* address, const char* network, unsigned bits) {
        return in_prefix(*Address::parse(address), *Address::parse(network), bits);
    };
    CHECK((in("10.0.0.200", "10.0.0.1", 24) && in("10.0.0.127", "10.0.0.1", 25) && in("192.0.2.1", "10.0.0.1", 0)));
    CHECK_FALSE((in("10.0.1.1", "10.0.0.1", 24) || in("10.0.0.128", "10.0.0.1", 25) || in("10.0.0.1", "10.0.0.1", 33)));
    CHECK((in("fd10::2", "fd10::1", 64) && !in("fd11::1", "fd10::1", 64) && !in("10.0.0.1", "fd10::1", 0)));
}
