// For tests only: two network namespaces joined by a cable, made by the test and gone with it, however it ends.
// Only this process is moved between them, so assertions work inside; nothing is mounted, named or left behind.
// Needs root, ip(8), and for firewall rules nft(8): ask missing() first, and skip with its word.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/fd.hpp"

namespace diag::probe::testing {

// Runs a program without its output and waits for it; its exit status, 127 where it is not there.
inline int run(const std::vector<std::string>& words) {
    posix_spawn_file_actions_t silent;
    ::posix_spawn_file_actions_init(&silent);
    ::posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<char*> argv;
    for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    pid_t child = 0;
    const int failed = ::posix_spawnp(&child, argv[0], &silent, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&silent);
    if (failed != 0) return 127;
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// Runs a line of plain words, which must succeed.
inline void must(const std::string& line) {
    std::istringstream split(line);
    if (run({std::istream_iterator<std::string>(split), {}}) != 0) throw std::runtime_error("failed: " + line);
}

class NetLab {
  public:
    // Why there can be no lab here, or nothing.
    static std::optional<std::string> missing(bool firewall = false) {
        if (::geteuid() != 0) return "needs root";
        const base::Fd home(open_current());
        const bool allowed = ::unshare(CLONE_NEWNET) == 0;
        if (allowed && ::setns(home.get(), CLONE_NEWNET) != 0) throw std::runtime_error("no way back from a network namespace");
        if (!allowed) return "may not make network namespaces";
        if (run({"ip", "-V"}) != 0) return "ip(8) is not installed";
        if (firewall && run({"nft", "-v"}) != 0) return "nft(8) is not installed";
        return std::nullopt;
    }

    // here: 10.99.0.1/24, fd99::1/64 on `wire`; there: 10.99.0.2/24, fd99::2/64 on `wire`.  Leaves the caller here.
    NetLab() : home_(open_current()), there_(make()), here_(make()) {
        must("ip link add wire type veth peer name far");
        must("ip link set dev far netns /proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(there_.get()));
        join("wire", "1");
        there();
        must("ip link set dev far name wire");
        join("wire", "2");
        here();
    }
    ~NetLab() { enter(home_); }
    NetLab(const NetLab&) = delete;
    NetLab& operator=(const NetLab&) = delete;

    void here() { enter(here_); }
    void there() { enter(there_); }
    // A command at the far end.
    void over_there(const std::string& line) {
        there();
        must(line);
        here();
    }

  private:
    static int open_current() { return ::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC); }
    static base::Fd make() {
        if (::unshare(CLONE_NEWNET) != 0) throw std::runtime_error("no network namespace");
        must("ip link set lo up");
        return base::Fd(open_current());
    }
    static void enter(const base::Fd& ns) {
        if (::setns(ns.get(), CLONE_NEWNET) != 0) std::abort();  // a test in the wrong network must not go on
    }
    static void join(const std::string& name, const std::string& host) {
        must("ip addr add 10.99.0." + host + "/24 dev " + name);
        must("ip addr add fd99::" + host + "/64 dev " + name + " nodad");
        must("ip link set " + name + " up");
    }

    base::Fd home_, there_, here_;
};

}  // namespace diag::probe::testing
