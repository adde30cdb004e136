// names.sweep as a host sees it, on real sockets: loopback, and a cable between two namespaces with a far end that
// answers as the test wants.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <thread>

#include <diag/testing.hpp>

#include "catch.hpp"
#include "probe/echo_packet.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_skip.hpp"
#include "sweep_run.hpp"

namespace sweep_lab_test {

extern "C" const diag_abi* diag_plugin_v1();

using diag::json;
using diag::probe::Address;
using diag::probe::testing::must;
using diag::probe::testing::NetLab;
using diag::probe::testing::skipped;
using diag::testing::Answer;
using namespace std::chrono_literals;

namespace {

Answer sweep(const json& addresses, const json& more = json::object()) {
    json params = {{"addresses", addresses}, {"timeout", 0.5}};
    params.update(more);
    return diag::testing::ask(*diag_plugin_v1(), "sweep", params);
}

std::string evidence(const Answer& answer) {
    for (const auto& event : answer.events)
        if (event["event"] == "evidence") return event["text"].get<std::string>();
    return "";
}

// Plain users may open no ICMP socket on many systems.
bool no_icmp() {
    const diag::base::Fd raw(::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP)),
        plain(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_ICMP));
    if (!raw && !plain) WARN("skipped: no ICMP socket for this user");
    return !raw && !plain;
}

void far_end_ignores_echo(NetLab& lab) {
    lab.there();
    std::ofstream("/proc/sys/net/ipv4/icmp_echo_ignore_all") << "1";
    lab.here();
}

// Answers every IPv4 echo request that reaches the far end `copies` times, after `delay`.
class Responder {
  public:
    Responder(NetLab& lab, int copies, std::chrono::milliseconds delay) : copies_(copies), delay_(delay) {
        lab.there();
        fd_ = diag::base::Fd(::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP));
        lab.here();
        thread_ = std::thread([this] { serve(); });
    }
    ~Responder() {
        stop_ = true;
        thread_.join();
    }

  private:
    void serve() {
        std::uint8_t packet[2048];
        while (!stop_) {
            pollfd ready{fd_.get(), POLLIN, 0};
            if (::poll(&ready, 1, 10) <= 0) continue;
            sockaddr_in from{};
            socklen_t length = sizeof from;
            const auto size = ::recvfrom(fd_.get(), packet, sizeof packet, 0, reinterpret_cast<sockaddr*>(&from), &length);
            if (size < 28 || packet[20] != 8) continue;
            const auto message = std::span(packet).subspan(20, static_cast<std::size_t>(size) - 20);
            message[0] = message[2] = message[3] = 0;
            const std::uint16_t sum = htons(diag::probe::echo_packet::checksum(message));
            std::memcpy(&message[2], &sum, sizeof sum);
            std::this_thread::sleep_for(delay_);
            for (int i = 0; i < copies_; ++i)
                ::sendto(fd_.get(), message.data(), message.size(), 0, reinterpret_cast<const sockaddr*>(&from), sizeof from);
        }
    }
    int copies_;
    std::chrono::milliseconds delay_;
    diag::base::Fd fd_;
    std::atomic<bool> stop_ = false;
    std::thread thread_;
};

}  // namespace

TEST_CASE("sweep: hundreds of loopback addresses of both families answer, each told from the others") {
    if (no_icmp()) return;
    const auto answer = sweep({"127.0.1.0/24", "127.0.2.1-127.0.2.40"}, {{"count", 2}, {"interval", 1e-4}});
    CHECK(answer.outcome() == "pass");
    CHECK(answer.measured("alive") == 294);
    CHECK(answer.measured("lossy") == 0);
    CHECK(answer.measured("duplicates") == 0);
    CHECK(answer.measured("rtt_max") > 0);
    CHECK_THAT(evidence(answer), ContainsSubstring("alive: 127.0.1.1-127.0.1.254, 127.0.2.1-127.0.2.40\n"));
}

TEST_CASE("sweep: an interface that is not there is named, and a bad list is refused") {
    CHECK(sweep({"127.0.0.1"}, {{"interface", "no-such-if"}}).cause() == "names.no-interface");
    const auto answer = sweep({"127.0.0.0/8"});
    CHECK(answer.error["kind"] == "parameter");
    CHECK_THAT(answer.reason(), ContainsSubstring("more than 4096"));
}

TEST_CASE("sweep: who is not there is silent beside those who are, by both families") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    const auto answer = sweep({"10.99.0.1-10.99.0.4", "fd99::1-fd99::3"});
    CHECK(answer.cause() == "names.some-silent");
    CHECK(answer.measured("alive") == 4);
    CHECK(answer.measured("silent") == 3);
    CHECK_THAT(evidence(answer), ContainsSubstring("alive: 10.99.0.1-10.99.0.2, fd99::1-fd99::2\nsilent: 10.99.0.3-10.99.0.4, fd99::3\n"));
    CHECK(sweep({"10.99.0.0/30", "fd99::2"}, {{"interface", "wire"}, {"min_alive", 0.5}}).outcome() == "pass");
    CHECK(sweep({"10.99.0.0/30"}, {{"min_alive", 0.5}}).outcome() == "pass");
    CHECK(sweep({"10.99.0.8/29"}).cause() == "names.none-answers");
}

TEST_CASE("sweep: no route and a firewall of this machine are errors of this machine") {
    if (skipped(NetLab::missing(true))) return;
    NetLab lab;
    CHECK(sweep({"10.99.0.2", "192.0.2.1"}).cause() == "names.no-route");
    must("nft add table inet t");
    must("nft add chain inet t c { type filter hook output priority 0 ; }");
    must("nft add rule inet t c ip daddr 10.99.0.2 drop");
    CHECK(sweep({"10.99.0.1", "10.99.0.2"}).cause() == "names.blocked-here");
    CHECK(sweep({"10.99.0.1", "fd99::2"}).outcome() == "pass");
}

TEST_CASE("sweep: a router's refusals are told with its address, and disturb nobody else's probe") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    lab.there();
    std::ofstream("/proc/sys/net/ipv4/ip_forward") << "1";
    lab.here();
    must("ip route add 192.0.2.0/24 via 10.99.0.2");
    const auto answer = sweep({"192.0.2.1-192.0.2.50", "10.99.0.2", "192.0.2.51-192.0.2.99"});
    CHECK(answer.cause() == "names.some-silent");
    CHECK(answer.measured("alive") == 1);
    CHECK(answer.measured("silent") == 99);
    // Linux tells the first five of a second (net/ipv4/route.c, ip_error).
    CHECK_THAT(evidence(answer), ContainsSubstring("192.0.2.2: silent; network unreachable (type 3, code 0) from 10.99.0.2\n"));
}

TEST_CASE("sweep: an address that answers twice is a duplicate, one that answers once is not") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    far_end_ignores_echo(lab);
    CHECK(sweep({"10.99.0.2"}).cause() == "names.some-silent");
    {
        const Responder twice(lab, 2, 0ms);
        const auto answer = sweep({"10.99.0.1", "10.99.0.2"}, {{"count", 2}, {"timeout", 5}});
        CHECK(answer.cause() == "names.duplicates");
        CHECK(answer.measured("duplicates") == 1);
        CHECK(answer.measured("alive") == 2);
    }
    const Responder once(lab, 1, 0ms);
    CHECK(sweep({"10.99.0.1", "10.99.0.2"}, {{"timeout", 5}}).outcome() == "pass");
}

TEST_CASE("sweep: a late answer is late, and past the timeout it is none") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    far_end_ignores_echo(lab);
    const Responder slow(lab, 1, 200ms);
    const auto late = sweep({"10.99.0.1", "10.99.0.2"}, {{"late", 0.15}, {"timeout", 5}});
    CHECK(late.cause() == "names.late");
    CHECK(late.measured("late") == 1);
    CHECK(late.measured("rtt_max") >= 200);
    CHECK(sweep({"10.99.0.1", "10.99.0.2"}, {{"late", 5}, {"timeout", 5}}).outcome() == "pass");
    const auto lost = sweep({"10.99.0.2", "10.99.0.1"}, {{"timeout", 0.05}, {"interval", 0.5}});
    CHECK(lost.cause() == "names.some-silent");
    CHECK_THAT(evidence(lost), ContainsSubstring("10.99.0.2: silent; answered after the timeout\n"));
}

TEST_CASE("sweep: a datagram socket does where a raw one is not allowed") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    std::ofstream("/proc/sys/net/ipv4/ping_group_range") << "0 2147483647";
    diag::names::SweepPlan patient;
    patient.timeout = std::chrono::seconds(10);  // a first answer waits for ARP, and on a machine that is loaded for its turn
    std::optional<diag::names::SweepRun> run;
    std::thread([&] {  // the system call changes this thread alone, unlike seteuid(3)
        if (::syscall(SYS_setresuid, -1, 65534, -1) == 0)
            run = diag::names::sweep({*Address::parse("10.99.0.2"), *Address::parse("fd99::2")}, patient);
    })
        .join();
    REQUIRE(run);
    CHECK_THAT(run->method, ContainsSubstring("datagram"));
    CHECK(run->answers[0].replies == 1);
    CHECK(run->answers[1].replies == 1);
}

}  // namespace sweep_lab_test
