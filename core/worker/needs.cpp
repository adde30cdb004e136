#include "worker/needs.hpp"

#include <linux/capability.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/need.hpp"
#include "base/program.hpp"

namespace diag::worker {
namespace {

// The effective capabilities of this process (proc(5), CapEff).
std::uint64_t capabilities() {
    std::istringstream status(base::read_file("/proc/self/status"));
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("CapEff:")) return std::strtoull(line.c_str() + 7, nullptr, 16);
    return 0;
}

bool capable(unsigned capability) { return (capabilities() >> capability & 1U) != 0; }

std::optional<Lack> lacking_program(const base::ProgramNeed& program) {
    const auto path = base::find_program(program.name);
    if (path && base::executable(*path)) return std::nullopt;
    if (path)
        return Lack{fmt::format("it needs the program '{}', and user {} may not execute {}", program.name, ::geteuid(), *path),
                    fmt::format("namei -l {}", *path)};
    return Lack{fmt::format("it needs the program '{}', which is not in PATH", program.name),
                program.package.empty() ? fmt::format("install the package that provides {}", program.name)
                                        : fmt::format("sudo apt install {}", program.package)};
}

// Whether an ICMP socket opens: a raw one (CAP_NET_RAW), or a datagram one (net.ipv4.ping_group_range, which IPv6 obeys too).
std::optional<Lack> lacking_icmp() {
    const auto opens = [](int family, int type, int protocol) {
        return static_cast<bool>(base::Fd(::socket(family, type | SOCK_CLOEXEC, protocol)));
    };
    if (opens(AF_INET, SOCK_RAW, IPPROTO_ICMP) || opens(AF_INET, SOCK_DGRAM, IPPROTO_ICMP) || opens(AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6))
        return std::nullopt;
    return Lack{fmt::format("it needs an ICMP socket, and user {} may open neither a raw nor a datagram one", ::geteuid()),
                "sudo sysctl -w net.ipv4.ping_group_range='0 2147483647', or sudo diag ..."};
}

std::optional<Lack> lacking_one(const std::string& need) {
    const auto by_sudo = [&](bool met, std::string_view what) -> std::optional<Lack> {
        if (met) return std::nullopt;
        return Lack{fmt::format("it needs {}, and this process (user {}) has not got it", what, ::geteuid()), "sudo diag ..."};
    };
    if (need == "root") return by_sudo(::geteuid() == 0, "to be root");
    if (need == "net_admin") return by_sudo(capable(CAP_NET_ADMIN), "the capability CAP_NET_ADMIN");
    if (need == "net_raw") return by_sudo(capable(CAP_NET_RAW), "the capability CAP_NET_RAW");
    if (need == "icmp") return lacking_icmp();
    if (const auto program = base::program_need(need)) return lacking_program(*program);
    return Lack{fmt::format("it needs '{}', which this diag does not know", need), "update diag"};
}

}  // namespace

std::optional<Lack> lacking(const std::vector<std::string>& needs) {
    for (const auto& need : needs)
        if (auto lack = lacking_one(need)) return lack;
    return std::nullopt;
}

}  // namespace diag::worker
