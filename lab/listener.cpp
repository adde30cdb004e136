#include "lab/listener.hpp"

#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.hpp"
#include "lab/processes.hpp"
#include "lab/service.hpp"
#include "lab/topology.hpp"

namespace diag::lab {
namespace {

const char* const listener_name = "diag-lab-listen";  // the kernel's name for it, for ps and for end_listener()

void accept_and_close(int socket) {
    for (;;) {
        const base::Fd peer(::accept4(socket, nullptr, nullptr, SOCK_CLOEXEC));
        if (!peer && errno != EINTR && errno != ECONNABORTED) ::usleep(10000);  // out of buffers, say: not in a tight loop
    }
}

}  // namespace

base::Fd listening_socket(std::uint16_t port) {
    sockaddr_in6 any6{};
    any6.sin6_family = AF_INET6;
    any6.sin6_port = htons(port);
    sockaddr_in any4{};
    any4.sin_family = AF_INET;
    any4.sin_port = htons(port);
    base::Fd fd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const bool both = static_cast<bool>(fd);
    if (!both) fd.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd) base::throw_errno("socket");
    const int off = 0, on = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (both) ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    const auto* address = both ? reinterpret_cast<const sockaddr*>(&any6) : reinterpret_cast<const sockaddr*>(&any4);
    if (::bind(fd.get(), address, both ? sizeof any6 : sizeof any4) != 0) base::throw_errno("bind");
    if (::listen(fd.get(), 16) != 0) base::throw_errno("listen");
    return fd;
}

void start_listener(const std::string& node) {
    const auto listen = [] {
        ::prctl(PR_SET_NAME, listener_name);
        return listening_socket(ssh_port);
    };
    start_service(node, {"the listener of " + machine_of(node), listen, accept_and_close});
}

void end_listener(const std::string& node) { end_recorded(listener_name, node); }

}  // namespace diag::lab
