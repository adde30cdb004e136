#include "probe/echo_packet.hpp"

#include <algorithm>
#include <cstring>

#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>

namespace diag::probe::echo_packet {

namespace {

void put16(std::uint8_t* at, std::uint16_t value) {
    at[0] = static_cast<std::uint8_t>(value >> 8);
    at[1] = static_cast<std::uint8_t>(value & 0xff);
}

std::uint16_t get16(const std::uint8_t* at) { return static_cast<std::uint16_t>(at[0] << 8 | at[1]); }

// ICMP echo: type, code, checksum, identifier, sequence; the same places in ICMPv6.
std::optional<std::uint16_t> sequence_of(Bytes message, std::uint8_t type, std::uint16_t id) {
    if (message.size() < message_header || message[0] != type || message[1] != 0 || get16(&message[4]) != id) return std::nullopt;
    return get16(&message[6]);
}

}  // namespace

std::uint16_t checksum(Bytes data) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i + 1 < data.size(); i += 2) sum += get16(&data[i]);
    if (data.size() % 2 != 0) sum += static_cast<std::uint32_t>(data.back() << 8);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum & 0xffff);
}

std::vector<std::uint8_t> payload(const Cookie& cookie, std::size_t size) {
    std::vector<std::uint8_t> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i & 0xff);
    std::copy_n(cookie.begin(), std::min(size, cookie.size()), bytes.begin());
    return bytes;
}

std::vector<std::uint8_t> request(bool v6, std::uint16_t id, std::uint16_t sequence, const Cookie& cookie, std::size_t size) {
    const auto body = payload(cookie, size - message_header);
    std::vector<std::uint8_t> message(message_header + body.size());
    message[0] = v6 ? ICMP6_ECHO_REQUEST : ICMP_ECHO;
    put16(&message[4], id);
    put16(&message[6], sequence);
    std::copy(body.begin(), body.end(), message.begin() + message_header);
    if (!v6) put16(&message[2], checksum(message));
    return message;
}

std::optional<std::uint16_t> reply_sequence(bool v6, Bytes message, std::uint16_t id, const Cookie& cookie) {
    const auto sequence = sequence_of(message, v6 ? ICMP6_ECHO_REPLY : ICMP_ECHOREPLY, id);
    if (!sequence || message.size() < message_header + cookie.size() || !carries(message.subspan(message_header), cookie))
        return std::nullopt;
    // A raw socket sees the packet before the kernel has judged its checksum; IPv6 ones are judged (raw.c, rawv6_rcv).
    if (!v6 && checksum(message) != 0) return std::nullopt;
    return sequence;
}

std::optional<std::uint16_t> quoted_sequence(bool v6, Bytes quoted, std::uint16_t id, const Cookie& cookie) {
    const auto sequence = sequence_of(quoted, v6 ? ICMP6_ECHO_REQUEST : ICMP_ECHO, id);
    if (!sequence || !carries(quoted.subspan(message_header), cookie)) return std::nullopt;
    return sequence;
}

bool carries(Bytes payload, const Cookie& cookie) {
    return std::equal(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(std::min(payload.size(), cookie.size())),
                      cookie.begin());
}

}  // namespace diag::probe::echo_packet
