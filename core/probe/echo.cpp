#include "probe/echo.hpp"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <thread>

#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/file.hpp"
#include "probe/echo_message.hpp"
#include "probe/echo_packet.hpp"
#include "probe/echo_socket.hpp"

namespace diag::probe {

using std::chrono::steady_clock;
namespace packet = echo_packet;

namespace {

// traceroute's ports: nothing listens there by custom, and filters that let traceroute pass let these pass.
constexpr unsigned first_port = 33434, ports = 90;
// Linux answers one destination with one port-unreachable a second (net.ipv4.icmp_ratelimit, icmp(7)).
constexpr std::chrono::milliseconds unreachable_pace{1020};
constexpr std::size_t largest_message = 65536;

bool port_unreachable(const sock_extended_err& error) {
    return (error.ee_origin == SO_EE_ORIGIN_ICMP && error.ee_type == ICMP_DEST_UNREACH && error.ee_code == ICMP_PORT_UNREACH) ||
           (error.ee_origin == SO_EE_ORIGIN_ICMP6 && error.ee_type == ICMP6_DST_UNREACH && error.ee_code == ICMP6_DST_UNREACH_NOPORT);
}

bool too_big(const sock_extended_err& error) {
    return (error.ee_origin == SO_EE_ORIGIN_ICMP && error.ee_type == ICMP_DEST_UNREACH && error.ee_code == ICMP_FRAG_NEEDED) ||
           (error.ee_origin == SO_EE_ORIGIN_ICMP6 && error.ee_type == ICMP6_PACKET_TOO_BIG) ||
           (error.ee_origin == SO_EE_ORIGIN_LOCAL && error.ee_errno == EMSGSIZE);
}

EchoAnswer error_answer(const EchoMessage& message, std::uint16_t sequence) {
    const sock_extended_err& error = *message.error;
    EchoAnswer answer;
    answer.kind = error.ee_origin == SO_EE_ORIGIN_LOCAL ? EchoAnswer::Kind::local_error : EchoAnswer::Kind::icmp_error;
    answer.sequence = sequence;
    answer.sender = message.offender;
    answer.type = error.ee_type;
    answer.code = error.ee_code;
    answer.mtu = too_big(error) ? error.ee_info : 0;
    answer.error = static_cast<int>(error.ee_errno);
    return answer;
}

}  // namespace

std::string_view to_text(EchoMethod method) {
    switch (method) {
        case EchoMethod::icmp_raw:
            return "ICMP (raw socket)";
        case EchoMethod::icmp_datagram:
            return "ICMP (datagram socket)";
        case EchoMethod::udp:
            return "UDP (port unreachable)";
    }
    return "?";
}

EchoSocket EchoSocket::open(const Address& destination, const Options& options) {
    EchoSocket socket;
    OpenedEcho opened = open_echo(destination.family(), options);
    socket.method_ = opened.method;
    socket.fd_ = std::move(opened.fd);
    socket.id_ = opened.id;
    socket.destination_ = destination.with_port(0);
    socket.buffer_.resize(largest_message);
    if (::getrandom(socket.cookie_.data(), socket.cookie_.size(), 0) != static_cast<ssize_t>(socket.cookie_.size()))
        base::throw_errno("getrandom");
    return socket;
}

std::chrono::milliseconds EchoSocket::pace() const {
    return method_ == EchoMethod::udp && !destination_.loopback() ? unreachable_pace : std::chrono::milliseconds(0);
}

void EchoSocket::set_hop_limit(int hops) {
    const int value = hops > 0 ? hops : -1;  // -1: the default again, ip(7) and ipv6(7)
    const bool v6 = destination_.v6();
    const int level = v6 ? int{IPPROTO_IPV6} : int{IPPROTO_IP};
    if (::setsockopt(fd_.get(), level, v6 ? IPV6_UNICAST_HOPS : IP_TTL, &value, sizeof value) != 0)
        base::throw_errno("hop limit of an echo socket");
}

void EchoSocket::wait_for_turn() {
    if (last_sent_) std::this_thread::sleep_until(*last_sent_ + pace());
    last_sent_ = steady_clock::now();
}

// Returns 0 or the errno of sendto().
int EchoSocket::transmit(std::uint16_t sequence, std::size_t packet_bytes) {
    const bool v6 = destination_.v6(), udp = method_ == EchoMethod::udp;
    const std::size_t size = packet_bytes - packet::ip_header(v6);
    const auto message = udp ? packet::payload(cookie_, size - packet::message_header) : packet::request(v6, id_, sequence, cookie_, size);
    const Address to = destination_.with_port(udp ? first_port + sequence % ports : 0);
    sent_[sequence] = {steady_clock::now()};
    while (::sendto(fd_.get(), message.data(), message.size(), 0, to.get(), to.size()) < 0)
        if (errno != EINTR) return errno;
    return 0;
}

std::optional<EchoAnswer> EchoSocket::send(std::uint16_t sequence, std::size_t packet_bytes) {
    if (packet_bytes < packet::smallest(destination_.v6())) throw std::invalid_argument("an echo probe this short cannot carry its cookie");
    wait_for_turn();
    // The error of an earlier probe may be what sendto() returns (it clears it); a refusal of this one comes twice.
    if (transmit(sequence, packet_bytes) == 0) return std::nullopt;
    const int error = transmit(sequence, packet_bytes);
    if (error == 0) return std::nullopt;
    auto answer = refused(error);
    answer->sequence = sequence;
    return answer;
}

// The error queue says more about a local refusal than errno does: the MTU that EMSGSIZE is about.
std::optional<EchoAnswer> EchoSocket::refused(int error) {
    EchoAnswer answer;
    answer.kind = EchoAnswer::Kind::local_error;
    answer.error = error;
    while (const auto entry = next_error()) {
        if (entry->kind != EchoAnswer::Kind::local_error)
            pending_.push_back(*entry);
        else if (entry->error == error)
            answer.mtu = entry->mtu;
    }
    return answer;
}

std::optional<EchoAnswer> EchoSocket::receive(steady_clock::time_point deadline) {
    for (;;) {
        if (!pending_.empty()) {
            const EchoAnswer answer = pending_.front();
            pending_.pop_front();
            return answer;
        }
        while (const auto answer = next_error())
            if (answer->kind != EchoAnswer::Kind::local_error) return answer;  // send() has told those
        if (const auto answer = next_reply()) return answer;
        const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - steady_clock::now());
        if (left.count() <= 0) return std::nullopt;
        const timespec wait{static_cast<time_t>(left.count() / 1'000'000'000), static_cast<long>(left.count() % 1'000'000'000)};
        pollfd ready{fd_.get(), POLLIN, 0};
        if (::ppoll(&ready, 1, &wait, nullptr) < 0 && errno != EINTR) base::throw_errno("ppoll");
    }
}

// The probe whose port this is: of those that share it, the last that was sent.
std::optional<std::uint16_t> EchoSocket::udp_sequence(unsigned port) const {
    std::optional<std::uint16_t> found;
    for (const auto& [sequence, sent] : sent_)
        if (first_port + sequence % ports == port && (!found || sent.at > sent_.at(*found).at)) found = sequence;
    return found;
}

// Gives an answer its round trip; false where its probe is unknown or has been answered.
bool EchoSocket::stamp(EchoAnswer& answer, std::chrono::nanoseconds age) {
    const auto sent = sent_.find(answer.sequence);
    if (sent == sent_.end()) return false;
    const auto whole = std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now() - sent->second.at);
    answer.round_trip = std::max(whole - age, std::chrono::nanoseconds(0));
    if (answer.kind != EchoAnswer::Kind::reply) return true;
    duplicates_ += sent->second.answered ? 1 : 0;
    return !std::exchange(sent->second.answered, true);
}

std::optional<EchoAnswer> EchoSocket::next_error() {
    while (const auto message = read_message(fd_.get(), MSG_ERRQUEUE, buffer_)) {
        if (!message->error) continue;
        if (message->error->ee_origin == SO_EE_ORIGIN_LOCAL) return error_answer(*message, 0);
        const packet::Bytes quoted(buffer_.data(), message->size);
        const bool udp = method_ == EchoMethod::udp;
        std::optional<std::uint16_t> sequence;
        if (!udp)
            sequence = packet::quoted_sequence(destination_.v6(), quoted, id_, cookie_);
        else if (packet::carries(quoted, cookie_))
            sequence = udp_sequence(message->peer.port());
        if (!sequence || !(message->peer == destination_)) continue;
        EchoAnswer answer = error_answer(*message, *sequence);
        if (udp && port_unreachable(*message->error) && answer.sender == destination_) answer.kind = EchoAnswer::Kind::reply;
        if (stamp(answer, message->age)) return answer;
    }
    return std::nullopt;
}

std::optional<EchoAnswer> EchoSocket::next_reply() {
    const bool v6 = destination_.v6();
    while (const auto message = read_message(fd_.get(), 0, buffer_)) {
        if (method_ == EchoMethod::udp || !(message->peer == destination_)) continue;
        // A raw IPv4 socket hands out the IP header as well (raw(7)).
        const bool with_header = method_ == EchoMethod::icmp_raw && !v6;
        const std::size_t header = with_header && message->size > 0 ? static_cast<std::size_t>(buffer_[0] & 0x0f) * 4 : 0;
        if (message->size < header) continue;
        const auto sequence = packet::reply_sequence(v6, packet::Bytes(buffer_).subspan(header, message->size - header), id_, cookie_);
        if (!sequence) continue;
        EchoAnswer answer;
        answer.sequence = *sequence;
        answer.sender = message->peer.with_port(0);
        answer.fragment_size = message->fragment_size;
        answer.packet_bytes = message->size + (with_header ? 0 : packet::ip_header(v6));
        if (stamp(answer, message->age)) return answer;
    }
    return std::nullopt;
}

}  // namespace diag::probe
