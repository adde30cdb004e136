#include "probe/tcp_mss.hpp"

#include <cerrno>
#include <system_error>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/fd.hpp"
#include "base/file.hpp"

namespace diag::probe {
namespace {

using std::chrono::steady_clock;

constexpr int repair_off = -1;  // TCP_REPAIR_OFF_NO_WP, <linux/tcp.h>: leave repair mode without a window probe

int get(int fd, int option) {
    int value = 0;
    socklen_t size = sizeof value;
    return ::getsockopt(fd, IPPROTO_TCP, option, &value, &size) == 0 ? value : 0;
}

// A connection attempt under way; nothing where it failed at once (refused, no route).
base::Fd start(const Address& peer, unsigned port, const std::string& interface) {
    base::Fd fd(::socket(peer.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd) base::throw_errno("a TCP socket");
    const auto size = static_cast<socklen_t>(interface.size());
    if (!interface.empty() && ::setsockopt(fd.get(), SOL_SOCKET, SO_BINDTODEVICE, interface.data(), size) != 0)
        base::throw_errno("interface " + interface);
    const Address to = peer.with_port(port);
    if (::connect(fd.get(), to.get(), to.size()) != 0 && errno != EINPROGRESS) fd.reset();
    return fd;
}

bool connected(int fd) {
    int error = 0;
    socklen_t size = sizeof error;
    return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

// In repair mode TCP_MAXSEG tells what the peer's SYN carried (net/ipv4/tcp.c, do_tcp_getsockopt); that needs
// net_admin.  Without it the value is already cut to our own path MTU, and less the options of every segment.
PeerMss read_mss(int fd, unsigned port, bool v6) {
    const int on = 1;
    if (::setsockopt(fd, IPPROTO_TCP, TCP_REPAIR, &on, sizeof on) == 0) {
        const PeerMss offered{port, get(fd, TCP_MAXSEG), true};
        if (::setsockopt(fd, IPPROTO_TCP, TCP_REPAIR, &repair_off, sizeof repair_off) != 0) base::throw_errno("leaving TCP repair mode");
        return offered;
    }
    tcp_info info{};
    socklen_t size = sizeof info;
    if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) base::throw_errno("TCP_INFO");
    constexpr int timestamps = 12;  // RFC 7323, padded to words
    PeerMss seen{port, get(fd, TCP_MAXSEG) + ((info.tcpi_options & TCPI_OPT_TIMESTAMPS) != 0 ? timestamps : 0), true};
    seen.exact = seen.mtu(v6) < static_cast<std::int64_t>(info.tcpi_pmtu);
    return seen;
}

}  // namespace

std::optional<PeerMss> peer_mss(const Address& peer, const std::vector<unsigned>& ports, const std::string& interface,
                                std::chrono::milliseconds patience) {
    std::vector<base::Fd> sockets;
    std::vector<pollfd> waiting;
    for (const unsigned port : ports) {
        sockets.push_back(start(peer, port, interface));
        waiting.push_back({sockets.back().get(), POLLOUT, 0});  // poll() passes over a descriptor below zero
    }
    const auto deadline = steady_clock::now() + patience;
    std::size_t open = 0;
    for (const auto& socket : sockets) open += socket ? 1 : 0;
    while (open > 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now());
        if (left.count() <= 0) return std::nullopt;
        if (::poll(waiting.data(), waiting.size(), static_cast<int>(left.count())) < 0) {
            if (errno != EINTR) base::throw_errno("poll");
            continue;
        }
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
            if (connected(waiting[i].fd)) return read_mss(waiting[i].fd, ports[i], peer.v6());
            waiting[i].fd = -1;
            --open;
        }
    }
    return std::nullopt;
}

}  // namespace diag::probe
