// EchoSocket on real sockets: loopback for everybody, and a cable between two namespaces where the test may make one.
#include "probe/echo.hpp"

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <system_error>

#include "catch.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_skip.hpp"

using namespace diag::probe;
using namespace std::chrono_literals;
using testing::must;
using testing::NetLab;
using testing::skipped;
using Kind = EchoAnswer::Kind;

static constexpr EchoMethod methods[] = {EchoMethod::icmp_raw, EchoMethod::icmp_datagram, EchoMethod::udp};

// Nothing, with a word, where this method is not allowed to this process.
static std::optional<EchoSocket> open(const std::string& address, EchoMethod method, bool dont_fragment = false,
                                      const std::string& interface = "") {
    try {
        return EchoSocket::open(*Address::parse(address), {interface, dont_fragment, method});
    } catch (const std::system_error& e) {
        if (e.code().value() != EPERM && e.code().value() != EACCES) throw;
        WARN("skipped: " << e.what());
        return std::nullopt;
    }
}

static std::optional<EchoAnswer> probe(EchoSocket& socket, std::uint16_t sequence, std::size_t bytes,
                                       std::chrono::milliseconds wait = 1000ms) {
    if (auto refused = socket.send(sequence, bytes)) return refused;
    return socket.receive(std::chrono::steady_clock::now() + wait);
}

// Lets ICMP datagram sockets be opened in the current namespace.
static void allow_datagram_sockets() { std::ofstream("/proc/sys/net/ipv4/ping_group_range") << "0 2147483647"; }

TEST_CASE("loopback answers by every method, with the exact size of the packet") {
    for (const auto* address : {"127.0.0.1", "::1"}) {
        for (const auto method : methods) {
            auto socket = open(address, method);
            if (!socket) continue;
            INFO(address << " " << to_text(method));
            for (const std::size_t bytes : {100U, 1500U, 9000U}) {
                const auto sequence = static_cast<std::uint16_t>(bytes);
                const auto answer = probe(*socket, sequence, bytes);
                REQUIRE(answer);
                CHECK(answer->kind == Kind::reply);
                CHECK(answer->sequence == sequence);
                CHECK(answer->sender == *Address::parse(address));
                CHECK(answer->packet_bytes == (method == EchoMethod::udp ? 0 : bytes));
                CHECK(answer->round_trip > 0ns);
                CHECK(answer->round_trip < 1s);
                CHECK(answer->fragment_size == 0);
            }
            CHECK(socket->duplicates() == 0);
        }
    }
}

TEST_CASE("a probe too short to be recognised again is refused") {
    auto socket = EchoSocket::open(*Address::parse("127.0.0.1"), {});
    CHECK_THROWS_AS(socket.send(1, 43), std::invalid_argument);
    CHECK_FALSE(socket.send(1, 44).has_value());
}

TEST_CASE("two sockets to one address never take each other's answers") {
    for (const auto method : methods) {
        auto one = open("127.0.0.1", method), two = open("127.0.0.1", method);
        if (!one || !two) continue;
        CHECK_FALSE(one->send(1, 84).has_value());
        CHECK(one->receive(std::chrono::steady_clock::now() + 1s).has_value());
        CHECK_FALSE(two->receive(std::chrono::steady_clock::now() + 20ms).has_value());
    }
}

TEST_CASE("an interface that is not there is an error that names it") {
    try {
        EchoSocket::open(*Address::parse("127.0.0.1"), {"no-such-if", false, EchoMethod::udp});
        FAIL("it opened");
    } catch (const std::system_error& e) {
        CHECK(e.code().value() == ENODEV);
        CHECK(std::string(e.what()).find("no-such-if") != std::string::npos);
    }
}

TEST_CASE("a far host answers by every method and over the interface asked for") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    allow_datagram_sockets();
    for (const auto* address : {"10.99.0.2", "fd99::2"}) {
        for (const auto method : methods) {
            auto socket = open(address, method, true, "wire");
            REQUIRE(socket);
            INFO(address << " " << to_text(method));
            CHECK(socket->method() == method);
            for (const std::uint16_t sequence : {1, 2}) {
                const auto answer = probe(*socket, sequence, 1500);
                REQUIRE(answer);
                CHECK(answer->kind == Kind::reply);
                CHECK(answer->sequence == sequence);
            }
        }
    }
}

TEST_CASE("a probe larger than this interface's frames is refused here, with the MTU") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    allow_datagram_sockets();
    for (const auto* address : {"10.99.0.2", "fd99::2"}) {
        for (const auto method : methods) {
            INFO(address << " " << to_text(method));
            auto socket = open(address, method, true);
            REQUIRE(socket);
            const auto refused = socket->send(1, 1501);
            REQUIRE(refused);
            CHECK(refused->kind == Kind::local_error);
            CHECK(refused->error == EMSGSIZE);
            CHECK(refused->mtu == 1500);
            CHECK_FALSE(socket->send(2, 1500).has_value());
        }
    }
}

TEST_CASE("a reply that comes back in pieces tells the size of its largest piece") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    must("ip link set wire mtu 9000");
    lab.over_there("ip link set wire mtu 9000");
    lab.over_there("ip route replace 10.99.0.0/24 dev wire mtu 1500");
    for (const bool dont_fragment : {true, false}) {
        auto socket = open("10.99.0.2", EchoMethod::icmp_raw, dont_fragment);
        const auto answer = probe(*socket, 1, 9000);
        REQUIRE(answer);
        CHECK(answer->packet_bytes == 9000);
        CHECK(answer->fragment_size == 1500);
        const auto small = probe(*socket, 2, 1500);
        REQUIRE(small);
        CHECK(small->fragment_size == 0);
    }
}

TEST_CASE("no route is told by send, not by an exception") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    for (const auto* address : {"192.0.2.1", "2001:db8::1"}) {
        auto socket = EchoSocket::open(*Address::parse(address), {});
        const auto refused = socket.send(1, 100);
        REQUIRE(refused);
        CHECK(refused->kind == Kind::local_error);
        CHECK(refused->error == ENETUNREACH);
    }
}

TEST_CASE("a host that answers no ARP is told by this machine itself") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    auto socket = EchoSocket::open(*Address::parse("10.99.0.77"), {});
    const auto answer = probe(socket, 1, 100, 4s);
    REQUIRE(answer);
    CHECK(answer->kind == Kind::icmp_error);
    CHECK(answer->error == EHOSTUNREACH);
    CHECK(answer->sender == *Address::parse("10.99.0.1"));
}

static void load_firewall(const std::string& hook, const std::string& verdict) {
    must("nft add table inet t");
    must("nft add chain inet t c { type filter hook " + hook + " priority 0 ; }");
    std::vector<std::string> rule = {"nft", "add rule inet t c " + verdict};
    if (testing::run(rule) != 0) throw std::runtime_error("nft refused: " + verdict);
}

TEST_CASE("a reject is told with its type, code and sender; a reject of our own firewall is told by send") {
    if (skipped(NetLab::missing(true))) return;
    NetLab lab;
    lab.there();
    load_firewall("input", "icmp type echo-request reject with icmpx type admin-prohibited");
    must("nft add rule inet t c icmpv6 type echo-request reject with icmpx type admin-prohibited");
    lab.here();
    for (const auto* address : {"10.99.0.2", "fd99::2"}) {
        const bool v6 = std::string(address).find(':') != std::string::npos;
        auto socket = EchoSocket::open(*Address::parse(address), {});
        const auto answer = probe(socket, 5, 100);
        REQUIRE(answer);
        CHECK(answer->kind == Kind::icmp_error);
        CHECK(answer->sequence == 5);
        CHECK(answer->sender == *Address::parse(address));
        CHECK(int{answer->type} == (v6 ? 1 : 3));
        CHECK(int{answer->code} == (v6 ? 1 : 13));
    }
    load_firewall("output", "ip daddr 10.99.0.2 drop");
    auto socket = EchoSocket::open(*Address::parse("10.99.0.2"), {});
    const auto refused = socket.send(1, 100);
    REQUIRE(refused);
    CHECK(refused->kind == Kind::local_error);
    CHECK(refused->error == EPERM);
}

TEST_CASE("a port that is rejected counts as an answer for UDP, and as a refusal for ICMP") {
    if (skipped(NetLab::missing(true))) return;
    NetLab lab;
    lab.there();
    load_firewall("input", "meta l4proto { icmp, udp } reject with icmp type port-unreachable");
    lab.here();
    auto udp = open("10.99.0.2", EchoMethod::udp), icmp = open("10.99.0.2", EchoMethod::icmp_raw);
    const auto answer = probe(*udp, 1, 100);
    REQUIRE(answer);
    CHECK(answer->kind == Kind::reply);
    const auto refusal = probe(*icmp, 1, 100, 2s);
    REQUIRE(refusal);
    CHECK(refusal->kind == Kind::icmp_error);
}

TEST_CASE("a router that needs to fragment is named with the MTU it tells") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    must("ip link set wire mtu 9000");
    lab.there();
    must("ip link set wire mtu 9000");
    must("ip link add narrow type veth peer name end");
    must("ip link set narrow mtu 1400");
    must("ip addr add 10.98.0.1/24 dev narrow");
    must("ip addr add fd98::1/64 dev narrow nodad");
    must("ip link set narrow up");
    must("ip link set end up");
    std::ofstream("/proc/sys/net/ipv4/ip_forward") << "1";
    std::ofstream("/proc/sys/net/ipv6/conf/all/forwarding") << "1";
    lab.here();
    must("ip route add 10.98.0.0/24 via 10.99.0.2");
    must("ip route add fd98::/64 via fd99::2");
    for (const auto* address : {"10.98.0.9", "fd98::9"}) {
        auto socket = EchoSocket::open(*Address::parse(address), {"", true, std::nullopt});
        for (const std::uint16_t sequence : {1, 2}) {  // the second proves that the cached exception is ignored
            const auto answer = probe(socket, sequence, 9000);
            REQUIRE(answer);
            CHECK(answer->kind == Kind::icmp_error);
            CHECK(answer->error == EMSGSIZE);
            CHECK(answer->mtu == 1400);
            CHECK(answer->sender == *Address::parse(answer->sender.v6() ? "fd99::2" : "10.99.0.2"));
        }
    }
}

TEST_CASE("a reply that comes twice is counted, and handed out once") {
    if (skipped(NetLab::missing(true))) return;
    NetLab lab;
    lab.there();
    must("nft add table ip t");
    must("nft add chain ip t c { type filter hook output priority 0 ; }");
    if (testing::run({"nft", "add rule ip t c icmp type echo-reply dup to 10.99.0.1 device wire"}) != 0) {
        WARN("skipped: this kernel duplicates no packets");
        return;
    }
    lab.here();
    auto socket = EchoSocket::open(*Address::parse("10.99.0.2"), {});
    REQUIRE(probe(socket, 1, 100));
    CHECK_FALSE(socket.receive(std::chrono::steady_clock::now() + 100ms).has_value());
    CHECK(socket.duplicates() == 1);
}
