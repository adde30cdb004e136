// The bytes of an echo probe: how long its parts are, how one is built, how an answer is recognised.
// Pure arithmetic, no sockets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace diag::probe::echo_packet {

using Bytes = std::span<const std::uint8_t>;
using Cookie = std::array<std::uint8_t, 16>;  // random, first in every payload: tells our packets from others'

// IPv4 without options (RFC 791) or IPv6 without extensions (RFC 8200).
constexpr std::size_t ip_header(bool v6) { return v6 ? 40 : 20; }
// ICMP echo (RFC 792, RFC 4443) and UDP (RFC 768) have headers of the same length.
constexpr std::size_t message_header = 8;
constexpr std::size_t smallest(bool v6) { return ip_header(v6) + message_header + std::tuple_size_v<Cookie>; }

// The Internet checksum (RFC 1071) as it stands in memory; 0 over a message that carries its own, if that is right.
std::uint16_t checksum(Bytes data);

// `size` bytes of payload: the cookie and a pattern.
std::vector<std::uint8_t> payload(const Cookie& cookie, std::size_t size);

// An ICMP echo request of `size` bytes from its type on.  IPv4's checksum is filled in, IPv6's is the kernel's work.
std::vector<std::uint8_t> request(bool v6, std::uint16_t id, std::uint16_t sequence, const Cookie& cookie, std::size_t size);

// The sequence of an echo reply that answers us: `message` from the ICMP type on, whole.
std::optional<std::uint16_t> reply_sequence(bool v6, Bytes message, std::uint16_t id, const Cookie& cookie);

// The sequence of our request as an ICMP error quotes it.  RFC 792 promises 8 bytes only: the cookie counts where it is there.
std::optional<std::uint16_t> quoted_sequence(bool v6, Bytes quoted, std::uint16_t id, const Cookie& cookie);

// Whether what is there of a payload begins like ours.
bool carries(Bytes payload, const Cookie& cookie);

}  // namespace diag::probe::echo_packet
