#include "lab/step.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "lab/files.hpp"
#include "lab/interrupt.hpp"
#include "lab/namespaces.hpp"

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

void send_datagram(const std::string& address, const std::string& bytes) {
    constexpr in_port_t discard = 9;  // RFC 863; nothing listens, the packet only has to travel
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(discard);
    if (::inet_pton(AF_INET, address.c_str(), &to.sin_addr) != 1) throw CommandFailed("send: not an IPv4 address: " + address);
    const base::Fd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!fd) base::throw_errno("socket");
    const int always = IP_PMTUDISC_DO;
    if (::setsockopt(fd.get(), IPPROTO_IP, IP_MTU_DISCOVER, &always, sizeof always) != 0) base::throw_errno("IP_MTU_DISCOVER");
    const std::string payload(std::stoul(bytes), 'x');
    if (::sendto(fd.get(), payload.data(), payload.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) < 0)
        base::throw_errno("send to " + address);
}

}  // namespace

void apply(const Step& step) {
    Interruptible::check();
    const std::string& word = step.argv.at(0);
    if (word == "hosts") return edit_hosts(step.part, step.argv.at(1), step.argv.at(2));
    if (word == "ip" && step.argv.at(1) == "-6" && !std::filesystem::exists("/proc/sys/net/ipv6")) return;
    const Inside inside(step.part);
    if (word == "sysctl") return write_sysctl(step.argv.at(1), step.argv.at(2));
    if (word == "send") return send_datagram(step.argv.at(1), step.argv.at(2));
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
