// The checks on real packets, in network namespaces that the tests make; needs root, ip(8) and nft(8).
#include "catch.hpp"
#include "path_ask.hpp"
#include "path_lab.hpp"
#include "probe/address.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_skip.hpp"

using namespace mtu;
using diag::probe::testing::NetLab;
using diag::probe::testing::skipped;

namespace {

// One packet that the kernel must not fragment: what an ordinary program sends, and what fills the path MTU cache.
void send_large(const std::string& to) {
    const Fd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const int never = IP_PMTUDISC_DO;
    ::setsockopt(fd.get(), IPPROTO_IP, IP_MTU_DISCOVER, &never, sizeof never);
    const auto address = diag::probe::Address::parse(to)->with_port(9);
    const std::string data(8000, 'x');
    REQUIRE(::sendto(fd.get(), data.data(), data.size(), 0, address.get(), address.size()) == 8000);
}

// The router carries less behind it, and its errors do not get out.
void make_black_hole(PathLab& lab) {
    lab.in_middle("ip link set to-b mtu 1500");
    lab.in_middle("nft add table inet filter");
    lab.in_middle("nft add chain inet filter out { type filter hook output priority 0 ; }");
    lab.in_middle("nft add rule inet filter out icmp type destination-unreachable drop");
    lab.in_middle("nft add rule inet filter out icmpv6 type packet-too-big drop");
}

}  // namespace

TEST_CASE("a clean path passes with five packets at most, for IPv4 and IPv6") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    for (const bool v6 : {false, true}) {
        const Answer answer = ask_path(lab.b(v6));
        INFO(answer.reason());
        CHECK(answer.outcome() == "pass");
        CHECK(answer.measured("path_mtu") == 9000);
        CHECK_THAT(text_of(answer, "asked"), ContainsSubstring("9000 bytes, unfragmented, wire -> " + lab.b(v6)));
        const std::string probes = text_of(answer, "evidence");
        std::size_t packets = 0;
        for (auto at = probes.find(" bytes: answered"); at != std::string::npos; at = probes.find(" bytes: answered", at + 1)) ++packets;
        CHECK(packets == 5);
    }
}

TEST_CASE("a switch port at 1500 is a silent device, found to the byte") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.in_middle("ip link set to-b mtu 1500");
    const Fd service = lab.listen_at_b(5201);
    for (const bool v6 : {false, true}) {
        const Answer answer = ask_path(lab.b(v6));
        INFO(answer.reason());
        CHECK(answer.cause() == "mtu.path-smaller");
        CHECK(answer.measured("path_mtu") == 1500);
        CHECK_THAT(text_of(answer, "saw"), ContainsSubstring("no router spoke"));
    }
}

TEST_CASE("an unusual size of a silent device is found to the byte as well") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    const Fd service = lab.listen_at_b(22);
    for (const int size : {1281, 3211, 8999}) {
        lab.in_middle("ip link set to-b mtu " + std::to_string(size));
        const Answer answer = ask_path(lab.b());
        INFO(answer.reason());
        CHECK(answer.measured("path_mtu") == size);
        CHECK(answer.cause() == "mtu.path-smaller");
    }
}

TEST_CASE("without any TCP port the cause says both: a device, or the far interface") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.in_middle("ip link set to-b mtu 1500");
    CHECK(ask_path(lab.b()).cause() == "mtu.path-or-far-smaller");
}

TEST_CASE("the far interface at 1500 is told by its segment size, where a port answers") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.at_b("ip link set wire mtu 1500");
    CHECK(ask_path(lab.b()).cause() == "mtu.path-or-far-smaller");
    const Fd service = lab.listen_at_b(22);
    for (const bool v6 : {false, true}) CHECK(ask_path(lab.b(v6)).cause() == "mtu.far-interface-smaller");
}

TEST_CASE("a segment size that is lowered does not make the far interface the only suspect") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    const Fd service = lab.listen_at_b(22);
    lab.at_b("ip route change 10.99.1.0/24 dev wire src 10.99.1.2 advmss 1460");
    CHECK(ask_path(lab.b()).outcome() == "pass");
    lab.in_middle("ip link set to-b mtu 3000");
    const Answer lowered = ask_path(lab.b());
    CHECK(lowered.cause() == "mtu.path-or-far-smaller");
    CHECK_THAT(lowered.reason(), ContainsSubstring("advmss or a firewall lowers that size"));
    lab.in_middle("ip link set to-b mtu 1500");
    CHECK_THAT(ask_path(lab.b()).reason(), ContainsSubstring("where its interface carries more, a device on the way is smaller"));
}

TEST_CASE("a far interface that is a few bytes smaller is named, with the range it may have") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    for (const std::string size : {"8999", "8996"}) {
        lab.at_b("ip link set wire mtu " + size);
        const Answer answer = ask_path(lab.b());
        INFO(answer.reason());
        CHECK(answer.cause() == "mtu.return-smaller");
        CHECK_THAT(answer.reason(),
                   ContainsSubstring("its interface, its route back or a path MTU that it has cached carries 8996 to 8999"));
    }
}

TEST_CASE("the near interface at 1500 is named before anything is sent") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.at_a("ip link set wire mtu 1500");
    const Answer answer = ask_path(lab.b());
    CHECK(answer.cause() == "mtu.interface-smaller");
    CHECK(ask_path(lab.b(), {{"mtu", 1500}}).outcome() == "pass");
    CHECK(ask_interface("wire", 9000).cause() == "mtu.interface-differs");
    CHECK(ask_interface("wire", 1500).outcome() == "pass");
    CHECK(ask_interface("wires", 1500).cause() == "mtu.interface-absent");
    CHECK_THAT(ask_interface("wires", 1500).reason(), ContainsSubstring("did you mean 'wire'"));
}

TEST_CASE("a router that answers is named, and its word verified, for IPv4 and IPv6") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::routed);
    lab.in_middle("ip link set to-b mtu 1500");
    for (const bool v6 : {false, true}) {
        const Answer answer = ask_path(lab.b(v6));
        CHECK(answer.cause() == "mtu.router-smaller");
        CHECK_THAT(answer.reason(), ContainsSubstring(v6 ? "fd99:1::fe" : "10.99.1.254"));
        CHECK_THAT(answer.reason(), ContainsSubstring("which is true"));
        CHECK(answer.measured("path_mtu") == 1500);
    }
}

TEST_CASE("a router that filters its errors is a black hole, and the last hop that answers is named") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::routed);
    make_black_hole(lab);
    const Fd service = lab.listen_at_b(22);
    for (const bool v6 : {false, true}) {
        const Answer answer = ask_path(lab.b(v6));
        INFO(answer.reason() << text_of(answer, "evidence"));
        CHECK(answer.cause() == "mtu.black-hole");
        CHECK_THAT(answer.reason(), ContainsSubstring((v6 ? "fd99:1::fe" : "10.99.1.254") + std::string(" still answers large packets")));
        CHECK(answer.measured("path_mtu") == 1500);
    }
}

TEST_CASE("a silent device in front of the router is not blamed on the router") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::routed);
    lab.in_middle("nft add table netdev filter");
    lab.in_middle("nft add chain netdev filter in { type filter hook ingress device to-a priority 0 ; }");
    lab.in_middle("nft add rule netdev filter in meta length > 1500 drop");
    const Answer answer = ask_path(lab.b());
    INFO(answer.reason());
    CHECK(answer.cause() == "mtu.path-smaller");
    CHECK_THAT(answer.reason(), ContainsSubstring("do not even reach the first router 10.99.1.254"));
}

TEST_CASE("answers in fragments are the way back: the far end's route") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.at_b("ip route change 10.99.1.0/24 dev wire src 10.99.1.2 mtu 1500");
    lab.at_b("ip -6 route change fd99:1::/64 dev wire proto kernel metric 256 mtu 1500");
    for (const bool v6 : {false, true}) {
        const Answer answer = ask_path(lab.b(v6));
        INFO(answer.reason());
        CHECK(answer.cause() == "mtu.return-smaller");
        CHECK(answer.measured("path_mtu") == 9000);
    }
}

TEST_CASE("the same loss has the same cause, however often it is asked about") {
    if (skipped(NetLab::missing(true))) return;
    for (const bool back : {true, false}) {  // b's kernel allows about six errors at once
        PathLab lab(PathLab::switched);
        lab.drop_in_middle(back ? "to-b" : "to-a", "meta length > 1600");
        for (int again = 0; again < 5; ++again) {
            const Answer answer = ask_path(lab.b());
            INFO(again << " " << answer.reason() << text_of(answer, "evidence"));
            CHECK(answer.cause() == (back ? "mtu.return-smaller-or-filtered" : "mtu.path-or-far-smaller"));
        }
    }
}

TEST_CASE("a black hole is found at the same place, however often it is asked about") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::routed);
    make_black_hole(lab);
    for (int again = 0; again < 5; ++again) {  // the router's kernel allows about six errors at once, too
        const Answer answer = ask_path(lab.b());
        INFO(again << " " << answer.reason() << text_of(answer, "evidence"));
        CHECK(answer.cause() == "mtu.black-hole");
        CHECK_THAT(answer.reason(), ContainsSubstring("10.99.1.254 still answers large packets"));
    }
}

TEST_CASE("where the far end answers no UDP, a loss is blamed on no direction") {
    if (skipped(NetLab::missing(true))) return;
    for (const auto middle : {PathLab::switched, PathLab::routed}) {
        PathLab lab(middle);
        lab.drop_in_middle("to-b", "meta length > 1600");
        const Fd service = lab.listen_at_b(22);
        lab.filter_at_b("meta l4proto udp drop");
        const Answer answer = ask_path(lab.b());
        INFO(answer.reason() << text_of(answer, "evidence"));
        CHECK(answer.cause() == "mtu.path-or-return-smaller");
        CHECK_THAT(answer.reason(), !ContainsSubstring("does not arrive"));
    }
}

TEST_CASE("a firewall that refuses UDP in other words than the kernel tells where a packet came as well") {
    if (skipped(NetLab::missing(true))) return;
    for (const bool back : {true, false}) {
        PathLab lab(PathLab::switched);
        lab.drop_in_middle(back ? "to-b" : "to-a", "meta length > 1600");
        lab.filter_at_b("meta l4proto udp reject with icmpx admin-prohibited");
        CHECK(ask_path(lab.b()).cause() == (back ? "mtu.return-smaller-or-filtered" : "mtu.path-or-far-smaller"));
    }
}

TEST_CASE("a filter of large echo is said to be possible, where large UDP arrives") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    const Fd service = lab.listen_at_b(22);
    lab.filter_at_b("icmp type echo-request meta length > 1000 drop");
    const Answer there = ask_path(lab.b(), {{"mtu", 1500}});
    CHECK(there.cause() == "mtu.return-smaller-or-filtered");
    CHECK_THAT(there.reason(), ContainsSubstring("or a firewall drops large echo"));
    PathLab other(PathLab::switched);
    other.at_a("nft add table inet filter");
    other.at_a("nft add chain inet filter in { type filter hook input priority 0 ; }");
    other.at_a("nft add rule inet filter in icmp type echo-reply meta length > 1600 drop");
    CHECK(ask_path(other.b()).cause() == "mtu.return-smaller-or-filtered");
}

TEST_CASE("the route's own MTU is named although the probes pass it by") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.at_a("ip route change 10.99.1.0/24 dev wire src 10.99.1.1 mtu 1500");
    lab.at_a("ip -6 route change fd99:1::/64 dev wire proto kernel metric 256 mtu 1500");
    CHECK(ask_path(lab.b()).cause() == "mtu.route-smaller");
    CHECK(ask_path(lab.b(true)).cause() == "mtu.route-smaller");
    lab.at_a("ip route change 10.99.1.0/24 dev wire src 10.99.1.1 mtu 9000");
    CHECK(ask_path(lab.b()).outcome() == "pass");
}

TEST_CASE("an IPv6 MTU below the interface's is named, and is no matter of IPv4") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.at_a("sysctl -qw net.ipv6.conf.wire.mtu=1500");
    CHECK(ask_path(lab.b(true)).cause() == "mtu.ipv6-smaller");
    CHECK(ask_path(lab.b()).outcome() == "pass");
}

TEST_CASE("a stale cached path MTU is named, ignored and left alone") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::routed);
    lab.in_middle("ip link set to-b mtu 1500");
    send_large(lab.b());
    ::usleep(100'000);
    lab.in_middle("ip link set to-b mtu 9000");
    for (int again = 0; again < 2; ++again) {  // the second time proves that the first did not clear it
        const Answer answer = ask_path(lab.b());
        CHECK(answer.outcome() == "pass");
        CHECK_THAT(answer.reason(), ContainsSubstring("a cached path MTU of 1500 bytes, ignored here"));
    }
}

TEST_CASE("random loss is not called a smaller MTU") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.in_middle("nft add table netdev filter");
    lab.in_middle("nft add chain netdev filter in { type filter hook ingress device to-a priority 0 ; }");
    lab.in_middle("nft add rule netdev filter in ip protocol icmp numgen random mod 100 lt 30 drop");
    for (int again = 0; again < 5; ++again) {
        const Answer answer = ask_path(lab.b());
        INFO(answer.reason());
        CHECK((answer.outcome() == "pass" || answer.cause() == "mtu.path-lossy" || answer.cause() == "mtu.path-unclear"));
    }
}

TEST_CASE("a limit on echo makes no size of its own") {
    if (skipped(NetLab::missing(true))) return;
    for (const std::string limit : {"1/second burst 5", "100/second burst 5"}) {
        PathLab lab(PathLab::switched);
        lab.in_middle("ip link set to-b mtu 3333");
        lab.filter_at_b("icmp type echo-request limit rate over " + limit + " packets drop");
        const Answer answer = ask_path(lab.b());
        INFO(limit << " " << answer.reason() << text_of(answer, "evidence"));
        CHECK(answer.cause() == "mtu.path-or-far-smaller");
        CHECK(answer.measured("path_mtu") == 3333);
    }
}

TEST_CASE("a limit on echo is no loss: a clean path passes each time it is asked about") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.filter_at_b("icmp type echo-request limit rate over 1/second burst 6 packets drop");
    CHECK(ask_path(lab.b()).outcome() == "pass");  // takes five of the six
    const Answer again = ask_path(lab.b());
    INFO(again.reason() << text_of(again, "evidence"));
    CHECK(again.outcome() == "pass");
    CHECK(again.measured("loss") == 0);
    CHECK_THAT(again.reason(), ContainsSubstring("echo is limited there"));
}

TEST_CASE("a limit that leaves too few answers is named, and no size is made up") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.in_middle("ip link set to-b mtu 3333");
    lab.filter_at_b("icmp type echo-request limit rate over 3/minute burst 5 packets drop");
    const Answer answer = ask_path(lab.b());
    INFO(answer.reason() << text_of(answer, "evidence"));
    CHECK(answer.cause() == "mtu.echo-limited");
}
