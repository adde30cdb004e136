#include "probe/echo_packet.hpp"

#include "catch.hpp"

using namespace diag::probe::echo_packet;

static const Cookie cookie = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

// What the other end makes of a request: the same bytes as a reply.
static std::vector<std::uint8_t> reply_to(std::vector<std::uint8_t> message, bool v6) {
    message[0] = v6 ? 129 : 0;
    message[2] = message[3] = 0;
    const auto sum = checksum(message);
    message[2] = static_cast<std::uint8_t>(sum >> 8);
    message[3] = static_cast<std::uint8_t>(sum & 0xff);
    return message;
}

TEST_CASE("a 9000-byte IP packet carries 8972 bytes of payload over IPv4 and 8952 over IPv6") {
    CHECK(9000 - ip_header(false) - message_header == 8972);
    CHECK(9000 - ip_header(true) - message_header == 8952);
    CHECK(request(false, 1, 1, cookie, 9000 - ip_header(false)).size() == 8980);
    CHECK(request(true, 1, 1, cookie, 9000 - ip_header(true)).size() == 8960);
    CHECK(smallest(false) == 44);
    CHECK(smallest(true) == 64);
}

TEST_CASE("the checksum is RFC 1071's, also for an odd length") {
    const std::vector<std::uint8_t> sample = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};  // the example of RFC 1071, section 3
    CHECK(checksum(sample) == static_cast<std::uint16_t>(~0xddf2 & 0xffff));
    CHECK(checksum(std::vector<std::uint8_t>{0x01}) == static_cast<std::uint16_t>(~0x0100 & 0xffff));
    CHECK(checksum(request(false, 7, 9, cookie, 61)) == 0);
}

TEST_CASE("a reply is ours by identifier, sequence and cookie; anybody else's is not") {
    for (const bool v6 : {false, true}) {
        const auto reply = reply_to(request(v6, 0xbeef, 513, cookie, 100), v6);
        CHECK(reply_sequence(v6, reply, 0xbeef, cookie) == std::optional<std::uint16_t>(513));
        CHECK_FALSE(reply_sequence(v6, reply, 0xbeee, cookie).has_value());
        CHECK_FALSE(reply_sequence(v6, reply, 0xbeef, Cookie{}).has_value());
        CHECK_FALSE(reply_sequence(v6, request(v6, 0xbeef, 513, cookie, 100), 0xbeef, cookie).has_value());  // our own request, looped back
        CHECK_FALSE(reply_sequence(v6, Bytes(reply).first(20), 0xbeef, cookie).has_value());
        CHECK_FALSE(reply_sequence(v6, Bytes(reply).first(0), 0xbeef, cookie).has_value());
    }
}

TEST_CASE("a reply that was damaged on the way is not counted as an answer") {
    auto reply = reply_to(request(false, 1, 2, cookie, 100), false);
    reply[90] ^= 0x40;
    CHECK_FALSE(reply_sequence(false, reply, 1, cookie).has_value());
}

TEST_CASE("an ICMP error that quotes 8 bytes only is still ours") {
    const auto sent = request(false, 0xbeef, 7, cookie, 100);
    CHECK(quoted_sequence(false, Bytes(sent).first(8), 0xbeef, cookie) == std::optional<std::uint16_t>(7));
    CHECK(quoted_sequence(false, sent, 0xbeef, cookie) == std::optional<std::uint16_t>(7));
    CHECK_FALSE(quoted_sequence(false, sent, 0xbeef, Cookie{}).has_value());
    CHECK_FALSE(quoted_sequence(false, Bytes(sent).first(7), 0xbeef, cookie).has_value());
}
