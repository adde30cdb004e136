#include "probe/tcp_mss.hpp"

#include <chrono>
#include <cstdint>

#include <linux/capability.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/fd.hpp"
#include "catch.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_skip.hpp"

using namespace diag;
using namespace diag::probe;
using namespace std::chrono_literals;

namespace {

base::Fd listen_on(unsigned port) {
    base::Fd fd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_port = htons(static_cast<std::uint16_t>(port));
    REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0);
    REQUIRE(::listen(fd.get(), 8) == 0);
    return fd;
}

// Takes net_admin from this thread's effective set for as long as it lives, as an ordinary user has it not.
class WithoutNetAdmin {
  public:
    WithoutNetAdmin() { set(false); }
    ~WithoutNetAdmin() { set(true); }

  private:
    static void set(bool on) {
        __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
        __user_cap_data_struct data[2];
        if (::syscall(SYS_capget, &header, data) != 0) std::abort();
        const unsigned bit = 1U << CAP_NET_ADMIN;
        data[0].effective = on ? data[0].effective | bit : data[0].effective & ~bit;
        if (::syscall(SYS_capset, &header, data) != 0) std::abort();
    }
};

const std::vector<unsigned> usual_ports = {22, 5201};

}  // namespace

TEST_CASE("the far interface's MTU is told by its TCP segment size, for both families, with and without net_admin") {
    if (testing::skipped(testing::NetLab::missing())) return;
    testing::NetLab lab;
    testing::must("ip link set wire mtu 9000");
    lab.there();
    const base::Fd service = listen_on(5201);
    lab.here();
    for (const char* peer : {"10.99.0.2", "fd99::2"}) {
        const auto address = *Address::parse(peer);
        const auto small = peer_mss(address, usual_ports, "wire", 500ms);
        REQUIRE(small);
        CHECK(small->port == 5201);
        CHECK(small->mtu(address.v6()) == 1500);
        CHECK(small->exact);
        const WithoutNetAdmin ordinary;
        const auto seen = peer_mss(address, usual_ports, "wire", 500ms);
        REQUIRE(seen);
        CHECK(seen->mtu(address.v6()) == 1500);
        CHECK(seen->exact);
    }
}

TEST_CASE("our own smaller route is not taken for the peer's interface") {
    if (testing::skipped(testing::NetLab::missing())) return;
    testing::NetLab lab;
    testing::must("ip link set wire mtu 9000");
    testing::must("ip route change 10.99.0.0/24 dev wire src 10.99.0.1 mtu 1500");
    lab.over_there("ip link set wire mtu 9000");
    lab.there();
    const base::Fd service = listen_on(22);
    lab.here();
    const auto address = *Address::parse("10.99.0.2");
    CHECK(peer_mss(address, usual_ports, "", 500ms)->mtu(false) == 9000);
    const WithoutNetAdmin ordinary;
    CHECK_FALSE(peer_mss(address, usual_ports, "", 500ms)->exact);
}

TEST_CASE("refused and silent ports give nothing, and refused ones give it at once") {
    if (testing::skipped(testing::NetLab::missing())) return;
    testing::NetLab lab;
    const auto start = std::chrono::steady_clock::now();
    CHECK_FALSE(peer_mss(*Address::parse("10.99.0.2"), usual_ports, "wire", 5s));
    CHECK(std::chrono::steady_clock::now() - start < 4s);
    CHECK_FALSE(peer_mss(*Address::parse("10.99.0.77"), usual_ports, "wire", 100ms));
    CHECK_FALSE(peer_mss(*Address::parse("10.99.0.2"), {}, "wire", 5s));
}
