// One question to one DNS server over UDP: does it know this name?  For a diagnosis only (what NSS hides, what a
// server says): no cache, no TCP, no following of aliases.  Not a resolver.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probe/address.hpp"

namespace diag::probe {

struct DnsAnswer {
    enum class Status { answered, no_such_name, refused, silent, unusable };
    Status status = Status::silent;
    std::vector<Address> addresses;  // A and AAAA records of the answer; empty with `answered`: the name has none
    std::string error;               // what else went wrong, for a person
};

std::string_view to_text(DnsAnswer::Status status);

// Asks for A and AAAA, waiting `timeout` for each.  The server's port is 53 unless `server` carries another.
DnsAnswer ask_dns(const Address& server, const std::string& name, std::chrono::milliseconds timeout);

// The two halves that touch no socket.  `type`: 1 A, 28 AAAA.  Nothing where the name cannot be a DNS name (RFC 1035 2.3.4).
std::optional<std::vector<std::uint8_t>> dns_question(std::uint16_t id, const std::string& name, std::uint16_t type);
// Nothing where this is no answer to that question.
std::optional<DnsAnswer> dns_read(std::span<const std::uint8_t> packet, std::span<const std::uint8_t> question);

}  // namespace diag::probe
