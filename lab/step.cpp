#include "lab/step.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "lab/files.hpp"
#include "lab/interrupt.hpp"
#include "lab/iperf3.hpp"
#include "lab/listener.hpp"
#include "lab/namespaces.hpp"
#include "lab/sshd.hpp"

namespace diag::lab {
namespace {

void write_sysctl(const std::string& name, const std::string& value) {
    const std::string path = "/proc/sys/net/" + name;
    const bool optional = name.rfind("ipv6/", 0) == 0 || name.rfind("bridge/", 0) == 0;
    if (optional && !std::filesystem::exists(path)) return;
    const base::Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd) base::throw_errno(path);
    base::write_all(fd.get(), value, path);
}

bool gives(const std::string& line, const std::string& name) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    words >> word;  // the address
    while (words >> word)
        if (word == name) return true;
    return false;
}

void edit_hosts(const std::string& node, const std::string& verb, const std::string& what) {
    std::istringstream before(read_node_file(node, "hosts"));
    std::string after, line;
    while (std::getline(before, line))
        if (verb != "drop" || !gives(line, what)) after += line + "\n";
    if (verb == "add") after += what + "\n";
    write_node_file(node, "hosts", after);
}

struct Destination {
    sockaddr_storage address{};
    socklen_t length = 0;
    bool v6 = false;
};

Destination discard_port(const std::string& address) {
    constexpr in_port_t discard = 9;  // RFC 863; nothing listens there, the packet only has to travel
    Destination to;
    to.v6 = address.find(':') != std::string::npos;
    auto& four = reinterpret_cast<sockaddr_in&>(to.address);
    auto& six = reinterpret_cast<sockaddr_in6&>(to.address);
    to.address.ss_family = to.v6 ? AF_INET6 : AF_INET;
    (to.v6 ? six.sin6_port : four.sin_port) = htons(discard);
    to.length = to.v6 ? sizeof six : sizeof four;
    if (::inet_pton(to.address.ss_family, address.c_str(), to.v6 ? static_cast<void*>(&six.sin6_addr) : &four.sin_addr) != 1)
        throw CommandFailed("learn: not an address: " + address);
    return to;
}

// Sends one packet that must not be fragmented.  Returns the path MTU that the kernel knew before it, in bytes.
int send_whole(const Destination& to, std::size_t bytes) {
    const base::Fd fd(::socket(to.address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!fd) base::throw_errno("socket");
    const int level = to.v6 ? IPPROTO_IPV6 : IPPROTO_IP;
    const int always = IP_PMTUDISC_DO;  // IPV6_PMTUDISC_DO is the same number
    if (::setsockopt(fd.get(), level, to.v6 ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER, &always, sizeof always) != 0) base::throw_errno("learn");
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to.address), to.length) != 0) base::throw_errno("learn");
    int mtu = 0;
    socklen_t size = sizeof mtu;
    if (::getsockopt(fd.get(), level, to.v6 ? IPV6_MTU : IP_MTU, &mtu, &size) != 0) base::throw_errno("learn");
    const std::string payload(bytes, 'x');
    if (::send(fd.get(), payload.data(), payload.size(), 0) < 0 && errno != EMSGSIZE) base::throw_errno("learn");
    return mtu;
}

void learn_mtu(const std::string& address, const std::string& bytes) {
    const Destination to = discard_port(address);
    const int size = std::stoi(bytes);
    for (int attempt = 0; attempt < 100; ++attempt) {
        if (send_whole(to, static_cast<std::size_t>(size)) < size) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    throw CommandFailed(fmt::format("learn: no path MTU below {} became known for {}", size, address));
}

void serve_logins(const std::string& node, const std::string& verb) {
    if (!have_sshd()) throw CommandFailed("this needs sshd (apt-get install openssh-server)");
    if (verb == "freeze" || verb == "thaw") return freeze_sshd(node, verb == "freeze");
    if (verb == "occupy") return occupy_sshd(node);
    end_sshd(node);
    if (verb == "again") start_sshd({node});
    if (verb == "replace") start_listener(node);
}

void serve_throughput(const std::string& node, const std::string& verb) {
    if (verb == "start") start_iperf3(node);
    if (verb == "occupy") occupy_iperf3(node);
    if (verb == "release") release_iperf3(node);
}

bool of_ipv6(const Argv& argv) {
    if (argv[0] == "learn") return argv.at(1).find(':') != std::string::npos;
    return argv[0] == "ip" && argv.at(1) == "-6";
}

}  // namespace

void apply(const Step& step) {
    Interruptible::check();
    const std::string& word = step.argv.at(0);
    if (word == "hosts") return edit_hosts(step.part, step.argv.at(1), step.argv.at(2));
    if (of_ipv6(step.argv) && !std::filesystem::exists("/proc/sys/net/ipv6")) return;
    if (word == "sshd") return serve_logins(step.part, step.argv.at(1));
    if (word == "iperf3") return serve_throughput(step.part, step.argv.at(1));
    const Inside inside(step.part);
    if (word == "sysctl") return write_sysctl(step.argv.at(1), step.argv.at(2));
    if (word == "learn") return learn_mtu(step.argv.at(1), step.argv.at(2));
    try {
        run(step.argv, step.input);
    } catch (const CommandFailed& e) {
        Interruptible::check();
        if (step.part.empty()) throw;
        throw CommandFailed(fmt::format("in {}: {}", namespace_of(step.part), e.what()));
    }
}

void apply(const std::vector<Step>& steps) {
    for (const Step& step : steps) apply(step);
}

}  // namespace diag::lab
