#include "probe/resolve_dns.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/fd.hpp"
#include "base/file.hpp"

namespace diag::probe {

namespace {

using Bytes = std::span<const std::uint8_t>;
using Status = DnsAnswer::Status;
using std::chrono::steady_clock;

constexpr std::uint16_t type_a = 1, type_aaaa = 28;                          // RFC 1035 3.2.2, RFC 3596
constexpr std::size_t header_size = 12, name_limit = 253, label_limit = 63;  // RFC 1035 4.1.1, 2.3.4
constexpr unsigned dns_port = 53;

void put16(std::vector<std::uint8_t>& to, std::uint16_t value) {
    to.push_back(static_cast<std::uint8_t>(value >> 8));
    to.push_back(static_cast<std::uint8_t>(value & 0xff));
}

std::uint16_t get16(Bytes data, std::size_t at) { return static_cast<std::uint16_t>(data[at] << 8 | data[at + 1]); }

// The offset behind a name, compressed or not; nothing where it runs out of the packet.  Pointers are not followed.
std::optional<std::size_t> behind_name(Bytes data, std::size_t at) {
    while (at < data.size()) {
        const std::uint8_t length = data[at];
        if (length == 0) return at + 1;
        if ((length & 0xc0) == 0xc0) return at + 2;
        at += std::size_t{1} + length;
    }
    return std::nullopt;
}

Address address_of(Bytes data, std::uint16_t type) {
    if (type == type_a) {
        sockaddr_in in{};
        in.sin_family = AF_INET;
        std::memcpy(&in.sin_addr, data.data(), sizeof in.sin_addr);
        return Address(reinterpret_cast<const sockaddr*>(&in), sizeof in);
    }
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    std::memcpy(&in.sin6_addr, data.data(), sizeof in.sin6_addr);
    return Address(reinterpret_cast<const sockaddr*>(&in), sizeof in);
}

// Reads `count` records; false where the packet ends too early.
bool read_records(Bytes packet, std::size_t at, unsigned count, DnsAnswer& answer) {
    for (; count > 0; --count) {
        const auto fixed = behind_name(packet, at);  // type, class, TTL, length: 10 bytes
        if (!fixed || *fixed + 10 > packet.size()) return false;
        const std::uint16_t type = get16(packet, *fixed), length = get16(packet, *fixed + 8);
        at = *fixed + 10;
        if (at + length > packet.size()) return false;
        if ((type == type_a && length == 4) || (type == type_aaaa && length == 16))
            answer.addresses.push_back(address_of(packet.subspan(at, length), type));
        at += length;
    }
    return true;
}

// RFC 1035 4.1.1 and RFC 6895 2.3.
DnsAnswer of_code(unsigned code) {
    if (code == 0) return {Status::answered, {}, ""};
    if (code == 3) return {Status::no_such_name, {}, "NXDOMAIN"};
    if (code == 2) return {Status::refused, {}, "SERVFAIL"};
    if (code == 5) return {Status::refused, {}, "REFUSED"};
    return {Status::refused, {}, "response code " + std::to_string(code)};
}

DnsAnswer failed(Status status, int error) { return {status, {}, std::strerror(error)}; }

DnsAnswer wait_for(int fd, Bytes question, steady_clock::time_point deadline) {
    std::array<std::uint8_t, 4096> buffer{};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
        pollfd ready{fd, POLLIN, 0};
        if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) return {Status::silent, {}, "no answer"};
        const ssize_t size = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (size < 0 && errno == ECONNREFUSED) return failed(Status::refused, errno);
        if (size < 0 && errno != EAGAIN && errno != EINTR) return failed(Status::silent, errno);
        if (size < 0) continue;
        if (const auto answer = dns_read(Bytes(buffer).first(static_cast<std::size_t>(size)), question)) return *answer;
    }
}

DnsAnswer ask_one(const Address& server, const std::string& name, std::uint16_t type, std::chrono::milliseconds timeout) {
    std::uint16_t id = 0;
    if (::getrandom(&id, sizeof id, 0) != sizeof id) base::throw_errno("getrandom");
    const auto question = dns_question(id, name, type);
    if (!question) return {Status::unusable, {}, "not a DNS name"};
    const base::Fd socket(::socket(server.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket) return failed(Status::silent, errno);
    const Address to = server.port() == 0 ? server.with_port(dns_port) : server;
    if (::connect(socket.get(), to.get(), to.size()) != 0) return failed(Status::silent, errno);  // connected: only its answers count
    if (::send(socket.get(), question->data(), question->size(), 0) < 0) return failed(Status::silent, errno);
    return wait_for(socket.get(), *question, steady_clock::now() + timeout);
}

}  // namespace

std::string_view to_text(DnsAnswer::Status status) {
    switch (status) {
        case Status::answered:
            return "answered";
        case Status::no_such_name:
            return "no such name";
        case Status::refused:
            return "refused";
        case Status::silent:
            return "silent";
        case Status::unusable:
            return "not asked";
    }
    return "?";
}

std::optional<std::vector<std::uint8_t>> dns_question(std::uint16_t id, const std::string& name, std::uint16_t type) {
    const std::string bare = name.ends_with('.') ? name.substr(0, name.size() - 1) : name;
    if (bare.empty() || bare.size() > name_limit) return std::nullopt;
    std::vector<std::uint8_t> packet;
    for (const std::uint16_t field : {id, std::uint16_t{0x0100}, std::uint16_t{1}, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}})
        put16(packet, field);  // 0x0100: recursion desired; one question
    std::istringstream labels(bare + ".");
    for (std::string label; std::getline(labels, label, '.');) {
        if (label.empty() || label.size() > label_limit) return std::nullopt;
        packet.push_back(static_cast<std::uint8_t>(label.size()));
        packet.insert(packet.end(), label.begin(), label.end());
    }
    packet.push_back(0);
    put16(packet, type);
    put16(packet, 1);  // class IN
    return packet;
}

std::optional<DnsAnswer> dns_read(Bytes packet, Bytes question) {
    const bool response = packet.size() >= header_size && (packet[2] & 0x80) != 0;
    if (!response || get16(packet, 0) != get16(question, 0)) return std::nullopt;
    DnsAnswer answer = of_code(packet[3] & 0x0fU);
    if (answer.status != Status::answered) return answer;
    const auto behind = behind_name(packet, header_size);
    const bool whole = behind && get16(packet, 4) == 1 && read_records(packet, *behind + 4, get16(packet, 6), answer);
    const bool truncated = (packet[2] & 0x02) != 0;  // what fits is enough to know that the name exists
    if (!whole && !(truncated && !answer.addresses.empty())) return DnsAnswer{Status::unusable, {}, "a malformed answer"};
    return answer;
}

DnsAnswer ask_dns(const Address& server, const std::string& name, std::chrono::milliseconds timeout) {
    DnsAnswer answer = ask_one(server, name, type_a, timeout);
    if (answer.status != Status::answered) return answer;
    const DnsAnswer six = ask_one(server, name, type_aaaa, timeout);
    answer.addresses.insert(answer.addresses.end(), six.addresses.begin(), six.addresses.end());
    return answer;
}

}  // namespace diag::probe
