#include "probe/neighbour_ask.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <vector>

#include <arpa/inet.h>
#include <net/if_arp.h>
#include <netinet/icmp6.h>
#include <netinet/if_ether.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "probe/netlink.hpp"

namespace diag::probe {

namespace {

using std::chrono::steady_clock;
using Mac = std::array<std::uint8_t, ETH_ALEN>;
using Bytes = std::vector<std::uint8_t>;

constexpr int requests = 2;

struct Question {
    base::Fd socket;
    sockaddr_storage to{};
    socklen_t to_size = 0;
    Bytes request;
};

std::optional<Mac> mac_of(const Interface& interface) {
    Mac mac{};
    int end = 0;
    const char* text = interface.mac.c_str();
    const int parts =
        std::sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2], &mac[3], &mac[4], &mac[5], &end);
    return parts == ETH_ALEN && text[end] == '\0' ? std::optional(mac) : std::nullopt;
}

in_addr v4_bytes(const Address& address) { return reinterpret_cast<const sockaddr_in*>(address.get())->sin_addr; }
in6_addr v6_bytes(const Address& address) { return reinterpret_cast<const sockaddr_in6*>(address.get())->sin6_addr; }

// Nothing where this process lacks the right.
std::optional<base::Fd> open_socket(int family, int type, int protocol) {
    base::Fd socket(::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
    if (!socket && (errno == EPERM || errno == EACCES)) return std::nullopt;
    if (!socket) base::throw_errno("a socket for ARP or neighbour discovery");
    return socket;
}

void append(Bytes& to, const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    to.insert(to.end(), bytes, bytes + size);
}

std::optional<Question> arp_question(const Address& address, const Interface& interface, const Mac& mac) {
    const auto route = route_to(address, interface.index);
    if (!route || !route->source || route->source->v6()) return std::nullopt;
    auto socket = open_socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_ARP));
    if (!socket) return std::nullopt;
    sockaddr_ll to{};
    to.sll_family = AF_PACKET;
    to.sll_protocol = htons(ETH_P_ARP);
    to.sll_ifindex = static_cast<int>(interface.index);
    to.sll_halen = ETH_ALEN;
    if (::bind(socket->get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) base::throw_errno("bind of an ARP socket");
    std::memset(to.sll_addr, 0xff, ETH_ALEN);
    Question question{std::move(*socket), {}, sizeof to, {}};
    std::memcpy(&question.to, &to, sizeof to);
    const in_addr own = v4_bytes(*route->source), target = v4_bytes(address);
    const std::uint8_t head[] = {0, ARPHRD_ETHER, ETHERTYPE_IP >> 8, ETHERTYPE_IP & 0xff, ETH_ALEN, sizeof own, 0, ARPOP_REQUEST};
    append(question.request, head, sizeof head);
    append(question.request, mac.data(), mac.size());
    append(question.request, &own, sizeof own);
    question.request.insert(question.request.end(), ETH_ALEN, 0);
    append(question.request, &target, sizeof target);
    return question;
}

// To the solicited-node group of the address, RFC 4291 2.7.1; the kernel fills in the checksum.
std::optional<Question> solicitation(const Address& address, const Interface& interface, const Mac& mac) {
    auto socket = open_socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6);
    if (!socket) return std::nullopt;
    const int hops = 255, index = static_cast<int>(interface.index);  // RFC 4861 7.1.1: fewer hops are not believed
    icmp6_filter filter{};
    ICMP6_FILTER_SETBLOCKALL(&filter);
    ICMP6_FILTER_SETPASS(ND_NEIGHBOR_ADVERT, &filter);
    if (::setsockopt(socket->get(), IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof hops) != 0 ||
        ::setsockopt(socket->get(), IPPROTO_IPV6, IPV6_MULTICAST_IF, &index, sizeof index) != 0 ||
        ::setsockopt(socket->get(), IPPROTO_ICMPV6, ICMP6_FILTER, &filter, sizeof filter) != 0)
        base::throw_errno("options of a neighbour discovery socket");
    nd_neighbor_solicit head{};
    head.nd_ns_type = ND_NEIGHBOR_SOLICIT;
    head.nd_ns_target = v6_bytes(address);
    sockaddr_in6 to{};
    to.sin6_family = AF_INET6;
    to.sin6_scope_id = interface.index;
    inet_pton(AF_INET6, "ff02::1:ff00:0", &to.sin6_addr);
    std::copy_n(&head.nd_ns_target.s6_addr[13], 3, &to.sin6_addr.s6_addr[13]);
    Question question{std::move(*socket), {}, sizeof to, {}};
    std::memcpy(&question.to, &to, sizeof to);
    append(question.request, &head, sizeof head);
    const std::uint8_t option[] = {ND_OPT_SOURCE_LINKADDR, 1};
    append(question.request, option, sizeof option);
    append(question.request, mac.data(), mac.size());
    return question;
}

// Any ARP packet whose sender has the address proves that he is there, an own question of his too.
bool speaks_for(const Bytes& packet, const Address& address) {
    if (address.v6()) {
        const in6_addr target = v6_bytes(address);
        return packet.size() >= sizeof(nd_neighbor_advert) &&
               std::memcmp(&packet[offsetof(nd_neighbor_advert, nd_na_target)], &target, sizeof target) == 0;
    }
    const in_addr sender = v4_bytes(address);
    constexpr std::size_t sender_at = sizeof(arphdr) + ETH_ALEN;
    return packet.size() >= sender_at + sizeof sender && std::memcmp(&packet[sender_at], &sender, sizeof sender) == 0;
}

bool wait_for(int fd, const Address& address, steady_clock::time_point deadline) {
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
        pollfd ready{fd, POLLIN, 0};
        if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) return false;
        Bytes packet(2048);
        const ssize_t size = ::recv(fd, packet.data(), packet.size(), 0);
        if (size < 0 && errno != EAGAIN && errno != EINTR) return false;  // the interface went down
        packet.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
        if (speaks_for(packet, address)) return true;
    }
}

}  // namespace

std::optional<bool> ask_neighbour(const Address& address, unsigned interface_index, std::chrono::milliseconds patience) {
    const Interface link = interface(interface_index);
    const auto mac = mac_of(link);
    if (!mac) return std::nullopt;
    const auto question = address.v6() ? solicitation(address, link, *mac) : arp_question(address, link, *mac);
    if (!question) return std::nullopt;
    for (int i = 0; i < requests; ++i) {
        const auto* to = reinterpret_cast<const sockaddr*>(&question->to);
        const ssize_t sent = ::sendto(question->socket.get(), question->request.data(), question->request.size(), 0, to, question->to_size);
        if (sent < 0) return std::nullopt;
        if (wait_for(question->socket.get(), address, steady_clock::now() + patience)) return true;
    }
    return false;
}

}  // namespace diag::probe
