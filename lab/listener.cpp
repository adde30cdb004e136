#include "lab/listener.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "lab/namespaces.hpp"
#include "lab/processes.hpp"
#include "lab/topology.hpp"

namespace diag::lab {
namespace {

constexpr in_port_t ssh_port = 22;

// A listening socket for IPv6 and IPv4, or for IPv4 alone where the kernel has no IPv6.
base::Fd listening_socket() {
    sockaddr_in6 any6{};
    any6.sin6_family = AF_INET6;
    any6.sin6_port = htons(ssh_port);
    sockaddr_in any4{};
    any4.sin_family = AF_INET;
    any4.sin_port = htons(ssh_port);
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

struct Hello {
    int error = 0;  // errno, 0 when it listens
    pid_t pid = 0;
};

[[noreturn]] void serve(int socket, int go) {
    // Only the socket and the word to go stay open: a pipe or lock of the caller must not live on in here.
    constexpr unsigned first_other = 5;
    const int null = ::open("/dev/null", O_RDWR);
    if (::dup2(go, 64) < 0 || ::dup2(socket, 65) < 0) ::_exit(1);
    for (const int standard : {0, 1, 2}) ::dup2(null, standard);
    ::dup2(65, 3);
    ::dup2(64, 4);
    if (::close_range(first_other, ~0U, 0) != 0) ::_exit(1);
    char word = 0;
    if (::read(4, &word, 1) != 1) ::_exit(1);  // the caller is gone, and never recorded this process
    for (;;) {
        const base::Fd peer(::accept4(3, nullptr, nullptr, SOCK_CLOEXEC));
        if (!peer && errno != EINTR && errno != ECONNABORTED) ::usleep(10000);  // out of buffers, say: not in a tight loop
    }
}

// In the forked child: leaves the caller's session, goes to the node's network, listens, says so.
[[noreturn]] void become_listener(const std::string& node, int hello_to, int go) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_DFL);
    ::setsid();
    if (const pid_t second = ::fork(); second != 0) ::_exit(second < 0 ? 1 : 0);
    ::prctl(PR_SET_NAME, "diag-lab-listen");
    if (::chdir("/") != 0) ::_exit(1);
    Hello hello{0, ::getpid()};
    base::Fd socket;
    try {
        enter(node);
        socket = listening_socket();
    } catch (const std::system_error& e) {
        hello.error = e.code().value();
    }
    if (::write(hello_to, &hello, sizeof hello) != static_cast<ssize_t>(sizeof hello) || hello.error != 0) ::_exit(1);
    serve(socket.get(), go);
}

std::array<base::Fd, 2> pipe_pair() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) base::throw_errno("pipe");
    return {base::Fd(ends[0]), base::Fd(ends[1])};
}

}  // namespace

void start_listener(const std::string& node) {
    auto hello_pipe = pipe_pair(), go_pipe = pipe_pair();
    const pid_t first = ::fork();
    if (first < 0) base::throw_errno("fork");
    if (first == 0) {
        go_pipe[1].reset();
        become_listener(node, hello_pipe[1].get(), go_pipe[0].get());
    }
    hello_pipe[1].reset();
    while (::waitpid(first, nullptr, 0) < 0 && errno == EINTR) {
    }
    Hello hello;
    if (::read(hello_pipe[0].get(), &hello, sizeof hello) != static_cast<ssize_t>(sizeof hello))
        throw std::runtime_error(fmt::format("the listener of {} ended before it listened", machine_of(node)));
    if (hello.error == EADDRINUSE) return;
    if (hello.error != 0) throw std::system_error(hello.error, std::generic_category(), "the listener of " + machine_of(node));
    const auto started = process(hello.pid);
    if (!started) throw std::runtime_error(fmt::format("the listener of {} ended at once", machine_of(node)));
    record_process(*started);
    base::write_all(go_pipe[1].get(), "g", "the listener of " + machine_of(node));
}

}  // namespace diag::lab
