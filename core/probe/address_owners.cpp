#include "probe/address_owners.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <net/if_arp.h>
#include <netinet/icmp6.h>
#include <netinet/if_ether.h>
#include <netinet/ip6.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <sys/socket.h>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "probe/netlink.hpp"

namespace diag::probe {
namespace {

using Clock = std::chrono::steady_clock;
using Packet = std::vector<std::uint8_t>;
using EthernetAddress = std::array<std::uint8_t, ETH_ALEN>;

struct Probe {
    int protocol = 0;  // ETH_P_ARP or ETH_P_IPV6
    EthernetAddress to{};
    Packet packet;
};

void put(Packet& to, const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    to.insert(to.end(), bytes, bytes + size);
}

in_addr ipv4(const Address& address) { return reinterpret_cast<const sockaddr_in*>(address.get())->sin_addr; }
in6_addr ipv6(const Address& address) { return reinterpret_cast<const sockaddr_in6*>(address.get())->sin6_addr; }

std::optional<EthernetAddress> ethernet_address(const std::string& text) {
    EthernetAddress mac{};
    int end = 0;
    const int parts =
        std::sscanf(text.c_str(), "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2], &mac[3], &mac[4], &mac[5], &end);
    return parts == ETH_ALEN && text.c_str()[end] == '\0' ? std::optional(mac) : std::nullopt;
}

Probe arp_probe(const Address& address, const EthernetAddress& own) {
    Probe probe{ETH_P_ARP, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {}};
    const in_addr target = ipv4(address);
    const std::uint8_t head[] = {0, ARPHRD_ETHER, ETHERTYPE_IP >> 8, ETHERTYPE_IP & 0xff, ETH_ALEN, sizeof target, 0, ARPOP_REQUEST};
    put(probe.packet, head, sizeof head);
    put(probe.packet, own.data(), own.size());
    probe.packet.insert(probe.packet.end(), sizeof target + ETH_ALEN, 0);  // from 0.0.0.0, to a MAC that is asked for
    put(probe.packet, &target, sizeof target);
    return probe;
}

// RFC 1071, over the pseudo header of RFC 8200 8.1 too.
std::uint16_t icmp6_checksum(const ip6_hdr& head, const Packet& message) {
    Packet all;
    put(all, &head.ip6_src, sizeof head.ip6_src);
    put(all, &head.ip6_dst, sizeof head.ip6_dst);
    const std::uint32_t length = htonl(static_cast<std::uint32_t>(message.size())), next = htonl(IPPROTO_ICMPV6);
    put(all, &length, sizeof length);
    put(all, &next, sizeof next);
    put(all, message.data(), message.size());
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i + 1 < all.size(); i += 2) sum += static_cast<std::uint32_t>(all[i] << 8 | all[i + 1]);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return htons(static_cast<std::uint16_t>(~sum));
}

// To the solicited-node group of the address (RFC 4291 2.7.1), from ::.
Probe solicitation_from_nowhere(const Address& address) {
    ip6_hdr head{};
    head.ip6_flow = htonl(0x60000000);
    head.ip6_nxt = IPPROTO_ICMPV6;
    head.ip6_hlim = 255;  // RFC 4861 7.1.1: fewer hops are not believed
    ::inet_pton(AF_INET6, "ff02::1:ff00:0", &head.ip6_dst);
    nd_neighbor_solicit ask{};
    ask.nd_ns_type = ND_NEIGHBOR_SOLICIT;
    ask.nd_ns_target = ipv6(address);
    std::copy_n(&ask.nd_ns_target.s6_addr[13], 3, &head.ip6_dst.s6_addr[13]);
    head.ip6_plen = htons(sizeof ask);
    Packet message;
    put(message, &ask, sizeof ask);
    ask.nd_ns_cksum = icmp6_checksum(head, message);
    Probe probe{ETH_P_IPV6, {0x33, 0x33, 0xff, head.ip6_dst.s6_addr[13], head.ip6_dst.s6_addr[14], head.ip6_dst.s6_addr[15]}, {}};
    put(probe.packet, &head, sizeof head);
    put(probe.packet, &ask, sizeof ask);
    return probe;
}

std::string mac_text(const std::uint8_t* mac) {
    return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}

// The MAC that an ARP packet binds to the address, whoever it answers.
std::string arp_owner(const Packet& packet, const Address& address) {
    const in_addr wanted = ipv4(address);
    constexpr std::size_t mac_at = sizeof(arphdr), ip_at = mac_at + ETH_ALEN;
    if (packet.size() < ip_at + sizeof wanted || std::memcmp(&packet[ip_at], &wanted, sizeof wanted) != 0) return "";
    return mac_text(&packet[mac_at]);
}

// The sender of an advertisement of the address; its option with the target's MAC says no more, and may be left out.
std::string advertisement_owner(const Packet& packet, const Address& address, const sockaddr_ll& sender) {
    const in6_addr wanted = ipv6(address);
    constexpr std::size_t type_at = sizeof(ip6_hdr), target_at = type_at + offsetof(nd_neighbor_advert, nd_na_target);
    if (packet.size() < target_at + sizeof wanted || packet[offsetof(ip6_hdr, ip6_ctlun.ip6_un1.ip6_un1_nxt)] != IPPROTO_ICMPV6) return "";
    if (packet[type_at] != ND_NEIGHBOR_ADVERT || std::memcmp(&packet[target_at], &wanted, sizeof wanted) != 0) return "";
    return sender.sll_halen == ETH_ALEN ? mac_text(sender.sll_addr) : "";
}

void collect(int fd, const Address& address, Clock::time_point deadline, std::vector<std::string>& owners) {
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd ready{fd, POLLIN, 0};
        if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) return;
        Packet packet(2048);
        sockaddr_ll sender{};
        socklen_t size = sizeof sender;
        const ssize_t got = ::recvfrom(fd, packet.data(), packet.size(), 0, reinterpret_cast<sockaddr*>(&sender), &size);
        if (got < 0 && errno != EAGAIN && errno != EINTR) return;  // the interface went down
        packet.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        const std::string owner = address.v6() ? advertisement_owner(packet, address, sender) : arp_owner(packet, address);
        if (!owner.empty() && std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(owner);
    }
}

}  // namespace

std::optional<std::vector<std::string>> address_owners(const Address& address, unsigned interface_index,
                                                       std::chrono::milliseconds patience) {
    const Interface link = interface(interface_index);
    const auto own = ethernet_address(link.mac);
    if (!own || link.loopback) return std::nullopt;
    const Probe probe = address.v6() ? solicitation_from_nowhere(address) : arp_probe(address, *own);
    const auto protocol = htons(static_cast<std::uint16_t>(probe.protocol));
    const base::Fd socket(::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
    if (!socket && (errno == EPERM || errno == EACCES)) return std::nullopt;
    if (!socket) base::throw_errno("a packet socket");
    sockaddr_ll to{};
    to.sll_family = AF_PACKET;
    to.sll_protocol = protocol;
    to.sll_ifindex = static_cast<int>(interface_index);
    to.sll_halen = ETH_ALEN;
    std::copy(probe.to.begin(), probe.to.end(), to.sll_addr);
    const auto* where = reinterpret_cast<const sockaddr*>(&to);
    if (::bind(socket.get(), where, sizeof to) != 0) base::throw_errno("bind of a packet socket");
    std::vector<std::string> owners;
    const auto start = Clock::now();
    for (int asked = 0; asked < 2; ++asked) {  // one frame may be lost
        if (::sendto(socket.get(), probe.packet.data(), probe.packet.size(), 0, where, sizeof to) < 0) return std::nullopt;
        collect(socket.get(), address, start + patience * (asked + 1) / 2, owners);
    }
    return owners;
}

}  // namespace diag::probe
