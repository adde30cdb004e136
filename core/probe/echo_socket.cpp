#include "probe/echo_socket.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/file.hpp"

namespace diag::probe {

namespace {

constexpr int receive_buffer = 1 << 20;  // room for a burst of 9000-byte replies; the kernel caps it at rmem_max
constexpr int icmp_filter_option = 1;    // ICMP_FILTER, <linux/icmp.h>, which does not go together with <netinet/ip_icmp.h>

void set(int fd, int level, int option, int value, const char* name) {
    if (::setsockopt(fd, level, option, &value, sizeof value) != 0) base::throw_errno(std::string("socket option ") + name);
}

// Nothing but echo replies is to fill the buffer; errors come by their own queue.
void only_replies(int fd, bool v6) {
    icmp6_filter six{};
    ICMP6_FILTER_SETBLOCKALL(&six);
    ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &six);
    const std::uint32_t four = ~std::uint32_t{1};  // a set bit blocks a type; echo reply is type 0
    const int failed = v6 ? ::setsockopt(fd, IPPROTO_ICMPV6, ICMP6_FILTER, &six, sizeof six)
                          : ::setsockopt(fd, SOL_RAW, icmp_filter_option, &four, sizeof four);
    if (failed != 0) base::throw_errno("the filter of the ICMP socket");
}

void set_v4(int fd, bool dont_fragment) {
    set(fd, IPPROTO_IP, IP_RECVERR, 1, "IP_RECVERR");
    set(fd, IPPROTO_IP, IP_RECVFRAGSIZE, 1, "IP_RECVFRAGSIZE");
    set(fd, IPPROTO_IP, IP_MTU_DISCOVER, dont_fragment ? IP_PMTUDISC_PROBE : IP_PMTUDISC_DONT, "IP_MTU_DISCOVER");
}

// IPv6 is fragmented by its sender only: not at all with DONTFRAG.
void set_v6(int fd, bool dont_fragment) {
    set(fd, IPPROTO_IPV6, IPV6_RECVERR, 1, "IPV6_RECVERR");
    set(fd, IPPROTO_IPV6, IPV6_RECVFRAGSIZE, 1, "IPV6_RECVFRAGSIZE");
    if (!dont_fragment) return;
    set(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE, "IPV6_MTU_DISCOVER");
    set(fd, IPPROTO_IPV6, IPV6_DONTFRAG, 1, "IPV6_DONTFRAG");
}

// Since Linux 5.7 every user may bind a socket that is not bound yet (net/core/sock.c, sock_bindtoindex).
void bind_to_interface(int fd, const std::string& name) {
    if (name.empty()) return;
    if (::setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name.data(), static_cast<socklen_t>(name.size())) != 0)
        base::throw_errno("interface " + name);
}

void bind_to_source(int fd, const std::optional<Address>& source) {
    if (source && ::bind(fd, source->get(), source->size()) != 0) base::throw_errno("source " + source->text());
}

// An ICMP datagram socket's identifier is its port; the kernel picks it here.
std::uint16_t bind_identifier(int fd, int family, const std::optional<Address>& source) {
    sockaddr_storage name{};
    name.ss_family = static_cast<sa_family_t>(family);
    socklen_t size = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    bind_to_source(fd, source ? source : Address(reinterpret_cast<const sockaddr*>(&name), size));
    size = sizeof name;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) base::throw_errno("getsockname of an ICMP datagram socket");
    sockaddr_in in{};
    std::memcpy(&in, &name, sizeof in);
    return ntohs(in.sin_port);
}

std::uint16_t random_identifier() {
    std::uint16_t id = 0;
    if (::getrandom(&id, sizeof id, 0) != sizeof id) base::throw_errno("getrandom");
    return id;
}

int create(EchoMethod method, int family) {
    const int icmp = family == AF_INET6 ? int{IPPROTO_ICMPV6} : int{IPPROTO_ICMP};
    const int kind = method == EchoMethod::icmp_raw ? SOCK_RAW : SOCK_DGRAM;
    return ::socket(family, kind | SOCK_CLOEXEC, method == EchoMethod::udp ? int{IPPROTO_UDP} : icmp);
}

OpenedEcho configure(base::Fd fd, EchoMethod method, int family, const EchoSocket::Options& options) {
    const bool v6 = family == AF_INET6;
    OpenedEcho opened{std::move(fd), method, 0};
    const int raw = opened.fd.get();
    set(raw, SOL_SOCKET, SO_TIMESTAMPNS, 1, "SO_TIMESTAMPNS");
    set(raw, SOL_SOCKET, SO_RCVBUF, receive_buffer, "SO_RCVBUF");
    v6 ? set_v6(raw, options.dont_fragment) : set_v4(raw, options.dont_fragment);
    bind_to_interface(raw, options.interface);
    if (method == EchoMethod::icmp_raw) only_replies(raw, v6);
    if (method != EchoMethod::icmp_datagram) bind_to_source(raw, options.source);
    if (method != EchoMethod::udp)
        opened.id = method == EchoMethod::icmp_datagram ? bind_identifier(raw, family, options.source) : random_identifier();
    return opened;
}

}  // namespace

OpenedEcho open_echo(int family, const EchoSocket::Options& options) {
    std::string refusals;
    int error = 0;
    for (const auto method : {EchoMethod::icmp_raw, EchoMethod::icmp_datagram, EchoMethod::udp}) {
        if (options.method && *options.method != method) continue;
        base::Fd fd(create(method, family));
        if (fd) return configure(std::move(fd), method, family, options);
        error = errno;
        refusals += (refusals.empty() ? "" : "; ") + std::string(to_text(method)) + ": " + std::strerror(error);
    }
    throw std::system_error(error, std::generic_category(), "no socket for echo probes (" + refusals + ")");
}

}  // namespace diag::probe
