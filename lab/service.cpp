#include "lab/service.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "base/file.hpp"
#include "lab/namespaces.hpp"
#include "lab/processes.hpp"

namespace diag::lab {
namespace {

struct Hello {
    int error = 0;  // errno, 0 when it is prepared
    pid_t pid = 0;
};

[[noreturn]] void live_on(const Service& service, int own, int go) {
    // Only its own descriptor and the word to go stay open: a pipe or lock of the caller must not live on in here.
    constexpr unsigned first_other = 5;
    const int null = ::open("/dev/null", O_RDWR);
    if (::dup2(go, 64) < 0 || ::dup2(own < 0 ? null : own, 65) < 0) ::_exit(1);
    for (const int standard : {0, 1, 2}) ::dup2(null, standard);
    ::dup2(65, 3);
    ::dup2(64, 4);
    if (::close_range(first_other, ~0U, 0) != 0) ::_exit(1);
    char word = 0;
    if (::read(4, &word, 1) != 1) ::_exit(1);  // the caller is gone, and never recorded this process
    ::close(4);
    service.serve(3);
    ::_exit(1);
}

// In the forked child: leaves the caller's session, goes to the node's network, prepares, says so.
[[noreturn]] void become_service(const std::string& node, const Service& service, int hello_to, int go) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGXFSZ}) ::signal(number, SIG_DFL);
    ::setsid();
    if (const pid_t second = ::fork(); second != 0) ::_exit(second < 0 ? 1 : 0);
    if (::chdir("/") != 0) ::_exit(1);
    Hello hello{0, ::getpid()};
    base::Fd own;
    try {
        enter(node);
        own = service.prepare();
    } catch (const std::system_error& e) {
        hello.error = e.code().value();
    }
    if (::write(hello_to, &hello, sizeof hello) != static_cast<ssize_t>(sizeof hello) || hello.error != 0) ::_exit(1);
    live_on(service, own.get(), go);
}

std::array<base::Fd, 2> pipe_pair() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) base::throw_errno("pipe");
    return {base::Fd(ends[0]), base::Fd(ends[1])};
}

}  // namespace

std::optional<pid_t> start_service(const std::string& node, const Service& service) {
    auto hello_pipe = pipe_pair(), go_pipe = pipe_pair();
    const pid_t first = ::fork();
    if (first < 0) base::throw_errno("fork");
    if (first == 0) {
        go_pipe[1].reset();
        become_service(node, service, hello_pipe[1].get(), go_pipe[0].get());
    }
    hello_pipe[1].reset();
    while (::waitpid(first, nullptr, 0) < 0 && errno == EINTR) {
    }
    Hello hello;
    if (::read(hello_pipe[0].get(), &hello, sizeof hello) != static_cast<ssize_t>(sizeof hello))
        throw std::runtime_error(service.name + " ended before it was ready");
    if (hello.error == EADDRINUSE) return std::nullopt;
    if (hello.error != 0) throw std::system_error(hello.error, std::generic_category(), service.name);
    const auto started = process(hello.pid);
    if (!started) throw std::runtime_error(service.name + " ended at once");
    record_process(*started);
    base::write_all(go_pipe[1].get(), "g", service.name);
    return hello.pid;
}

}  // namespace diag::lab
