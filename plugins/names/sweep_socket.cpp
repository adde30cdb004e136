#include "sweep_socket.hpp"

#include <array>
#include <cerrno>
#include <system_error>

#include <linux/sock_diag.h>
#include <sys/socket.h>

#include "base/file.hpp"

namespace diag::names {

namespace {

constexpr int buffer_bytes = 8 << 20;

// The forced form passes the system's limit, and needs CAP_NET_ADMIN.
void widen(int fd, int forced, int plain) {
    if (::setsockopt(fd, SOL_SOCKET, forced, &buffer_bytes, sizeof buffer_bytes) == 0) return;
    if (::setsockopt(fd, SOL_SOCKET, plain, &buffer_bytes, sizeof buffer_bytes) != 0) base::throw_errno("the buffer of an echo socket");
}

probe::OpenedEcho open_icmp(int family, const std::string& interface) {
    try {
        return probe::open_echo(family, {interface, false, probe::EchoMethod::icmp_raw});
    } catch (const std::system_error& e) {
        if (e.code().value() != EPERM && e.code().value() != EACCES) throw;
    }
    return probe::open_echo(family, {interface, false, probe::EchoMethod::icmp_datagram});
}

}  // namespace

probe::OpenedEcho open_sweep_socket(int family, const std::string& interface) {
    auto opened = open_icmp(family, interface);
    widen(opened.fd.get(), SO_RCVBUFFORCE, SO_RCVBUF);
    widen(opened.fd.get(), SO_SNDBUFFORCE, SO_SNDBUF);  // packets to addresses that nobody has wait there for ARP
    return opened;
}

// SO_MEMINFO, net/core/sock.c.
std::uint32_t dropped_by(int fd) {
    std::array<std::uint32_t, SK_MEMINFO_VARS> memory{};
    socklen_t size = sizeof memory;
    if (::getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory.data(), &size) != 0) base::throw_errno("SO_MEMINFO");
    return memory[SK_MEMINFO_DROPS];
}

}  // namespace diag::names
