#include "probe/hail.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <linux/filter.h>
#include <net/ethernet.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <sys/socket.h>

#include "probe/netlink.hpp"

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23  // Linux 4.20, <linux/if_packet.h>; not in <netpacket/packet.h>
#endif

namespace diag::probe {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint16_t experimental = 0x88b5;  // IEEE Std 802a-2003, local experimental Ethertype: no machine acts on it
constexpr std::string_view greeting = "diag hail ";
constexpr std::size_t smallest = ETH_ZLEN - ETH_HLEN;  // shorter frames are filled up by some adapters, and refused by others
constexpr int repetitions = 3;                         // a frame may be lost
constexpr std::chrono::milliseconds gap{30};

std::string refusal_of(int error) {
    if (error == EPERM || error == EACCES) return "packet sockets need CAP_NET_RAW";
    return "no packet socket opens: " + std::generic_category().message(error);
}

// The protocol alone, before any copy is made: an ear is open while the link carries its load.
bool only_hails(int fd) {
    const auto protocol_at = static_cast<std::uint32_t>(SKF_AD_OFF + SKF_AD_PROTOCOL);
    std::array<sock_filter, 4> program{{{BPF_LD | BPF_W | BPF_ABS, 0, 0, protocol_at},
                                        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, experimental},
                                        {BPF_RET | BPF_K, 0, 0, 0xffff},
                                        {BPF_RET | BPF_K, 0, 0, 0}}};
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    return ::setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
}

// All protocols: a socket for one alone is not told what a bridge or a bond takes from its members.
bool listen_everywhere(int fd) {
    const int yes = 1;
    ::setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof yes);  // only cheaper: take() looks at it as well
    sockaddr_ll any{};
    any.sll_family = AF_PACKET;
    any.sll_protocol = htons(ETH_P_ALL);
    return only_hails(fd) && ::bind(fd, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
}

}  // namespace

std::string hail(unsigned interface_index, const std::string& word) {
    constexpr std::size_t ethernet_text = 17;
    const Interface link = interface(interface_index);
    if (link.loopback || link.mac.size() != ethernet_text) return link.name + " is no Ethernet";
    const base::Fd socket(::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket) return refusal_of(errno);
    sockaddr_ll to{};
    to.sll_family = AF_PACKET;
    to.sll_protocol = htons(experimental);
    to.sll_ifindex = static_cast<int>(interface_index);
    to.sll_halen = ETH_ALEN;
    // To everybody: a group's address must be told to the adapter first, and one that was not would look like another cable.
    std::memset(to.sll_addr, 0xff, ETH_ALEN);
    std::string text = std::string(greeting) + word;
    text.resize(std::max(text.size() + 1, smallest));
    for (int i = 0; i < repetitions; ++i) {
        if (i > 0) std::this_thread::sleep_for(gap);
        if (::sendto(socket.get(), text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) < 0)
            return link.name + " sends nothing: " + std::generic_category().message(errno);
    }
    return "";
}

HailEar::HailEar(std::string word) : word_(std::move(word)), socket_(::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    if (!socket_ || !listen_everywhere(socket_.get())) problem_ = refusal_of(errno);
}

void HailEar::take(std::vector<unsigned>& heard) {
    const std::string wanted = std::string(greeting) + word_ + '\0';
    std::array<char, 256> frame;
    for (;;) {
        sockaddr_ll from{};
        socklen_t size = sizeof from;
        const ssize_t got = ::recvfrom(socket_.get(), frame.data(), frame.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
        if (got < 0 && (errno == EINTR || errno == ENETDOWN)) continue;  // an interface went down; the others still listen
        if (got < 0) return;
        const auto index = static_cast<unsigned>(from.sll_ifindex);
        const bool ours = std::string_view(frame.data(), static_cast<std::size_t>(got)).starts_with(wanted);
        if (ours && from.sll_pkttype != PACKET_OUTGOING && std::find(heard.begin(), heard.end(), index) == heard.end())
            heard.push_back(index);
    }
}

std::vector<unsigned> HailEar::listen(std::chrono::milliseconds time) {
    std::vector<unsigned> heard;
    for (const auto until = Clock::now() + time; problem_.empty();) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        pollfd ready{socket_.get(), POLLIN, 0};
        if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) break;
        take(heard);
    }
    return heard;
}

}  // namespace diag::probe
