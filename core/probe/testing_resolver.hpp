// For tests only: a child process with its own /etc/resolv.conf and a network in which no DNS server answers.
// Needs what testing_net.hpp needs; nothing is left behind.
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>

#include "probe/testing_net.hpp"

namespace diag::probe::testing {

inline bool own_mounts() {
    return ::unshare(CLONE_NEWNS | CLONE_NEWNET) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// Why with_resolver() cannot run here; nothing where it can.
inline std::optional<std::string> no_resolver() {
    if (auto why = NetLab::missing()) return why;
    const pid_t child = ::fork();
    if (child == 0) ::_exit(own_mounts() ? 0 : 1);
    int status = 1;
    if (::waitpid(child, &status, 0) == child && status == 0) return std::nullopt;
    return "no mounts of its own can be made here, as in a chroot whose / is no mount point";
}

// Asks `expected` there, about a server 192.0.2.53 that says nothing.  Returns what it returned; false, too, where it threw.
template <class Expected>
bool with_resolver(const std::string& config, Expected expected) {
    const pid_t child = ::fork();
    if (child != 0) {
        int status = 0;
        return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    try {
        if (!own_mounts() || ::mount("tmpfs", "/mnt", "tmpfs", 0, nullptr) != 0) ::_exit(1);
        std::ofstream("/mnt/resolv.conf") << config;
        std::ofstream("/mnt/nsswitch.conf") << "hosts: files dns\n";
        for (const std::string name : {"resolv.conf", "nsswitch.conf"})
            if (::mount(("/mnt/" + name).c_str(), ("/etc/" + name).c_str(), nullptr, MS_BIND, nullptr) != 0) ::_exit(1);
        for (const auto* line : {"ip link add wire type veth peer name far", "ip addr add 192.0.2.1/24 dev wire", "ip link set wire up",
                                 "ip link set far up", "ip neigh replace 192.0.2.53 lladdr 02:00:00:00:00:53 dev wire nud permanent"})
            testing::must(line);
        ::_exit(expected() ? 0 : 2);
    } catch (...) {
        ::_exit(3);
    }
}

}  // namespace diag::probe::testing
