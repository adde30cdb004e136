// The checks on real packets, in network namespaces that the tests make; needs root, ip(8) and nft(8).
#include <string>

#include "catch.hpp"
#include "path_ask.hpp"
#include "probe/address.hpp"

using namespace mtu;

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

}  // namespace

TEST_CASE("a clean path passes with five packets at most, for IPv4 and IPv6") {
    if (lab_missing()) return;
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
    if (lab_missing()) return;
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
    if (lab_missing()) return;
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
    if (lab_missing()) return;
    PathLab lab(PathLab::switched);
    lab.in_middle("ip link set to-b mtu 1500");
    CHECK(ask_path(lab.b()).cause() == "mtu.path-or-far-smaller");
}

TEST_CASE("the far interface at 1500 is told by its segment size, where a port answers") {
    if (lab_missing()) return;
    PathLab lab(PathLab::switched);
    lab.at_b("ip link set wire mtu 1500");
    CHECK(ask_path(lab.b()).cause() == "mtu.path-or-far-smaller");
    const Fd service = lab.listen_at_b(22);
    for (const bool v6 : {false, true}) CHECK(ask_path(lab.b(v6)).cause() == "mtu.far-interface-smaller");
}

TEST_CASE("a segment size that is lowered does not make the far interface the only suspect") {
    if (lab_missing()) return;
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
    if (lab_missing()) return;
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
    if (lab_missing()) return;
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
    if (lab_missing()) return;
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
    if (lab_missing()) return;
    PathLab lab(PathLab::routed);
    lab.in_middle("ip link set to-b mtu 1500");
    lab.in_middle("nft add table inet filter");
    lab.in_middle("nft add chain inet filter out { type filter hook output priority 0 ; }");
    lab.in_middle("nft add rule inet filter out icmp type destination-unreachable drop");
    lab.in_middle("nft add rule inet filter out icmpv6 type packet-too-big drop");
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
    if (lab_missing()) return;
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
    if (lab_missing()) return;
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

TEST_CASE("the route's own MTU is named although the probes pass it by") {
    if (lab_missing()) return;
    PathLab lab(PathLab::switched);
    lab.at_a("ip route change 10.99.1.0/24 dev wire src 10.99.1.1 mtu 1500");
    lab.at_a("ip -6 route change fd99:1::/64 dev wire proto kernel metric 256 mtu 1500");
    CHECK(ask_path(lab.b()).cause() == "mtu.route-smaller");
    CHECK(ask_path(lab.b(true)).cause() == "mtu.route-smaller");
    lab.at_a("ip route change 10.99.1.0/24 dev wire src 10.99.1.1 mtu 9000");
    CHECK(ask_path(lab.b()).outcome() == "pass");
}

TEST_CASE("an IPv6 MTU below the interface's is named, and is no matter of IPv4") {
    if (lab_missing()) return;
    PathLab lab(PathLab::switched);
    lab.at_a("sysctl -qw net.ipv6.conf.wire.mtu=1500");
    CHECK(ask_path(lab.b(true)).cause() == "mtu.ipv6-smaller");
    CHECK(ask_path(lab.b()).outcome() == "pass");
}

TEST_CASE("a stale cached path MTU is named, ignored and left alone") {
    if (lab_missing()) return;
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

TEST_CASE("a peer that is gone, or refuses, is a matter of reachability") {
    if (lab_missing()) return;
    PathLab lab(PathLab::switched);
    for (int again = 0; again < 2; ++again) {  // by the second time the kernel has said "host unreachable" to itself
        const Answer gone = ask_path("10.99.1.77");
        CHECK(gone.cause() == "mtu.no-answer");
        CHECK_THAT(gone.reason(), !ContainsSubstring("refuses"));
    }
    lab.at_b("nft add table inet filter");
    lab.at_b("nft add chain inet filter in { type filter hook input priority 0 ; }");
    lab.at_b("nft add rule inet filter in meta l4proto icmp reject with icmp type admin-prohibited");
    const Answer refused = ask_path(lab.b());
    CHECK(refused.cause() == "mtu.no-answer");
    CHECK_THAT(refused.reason(), ContainsSubstring("10.99.1.2 refuses the probes"));
    CHECK_THAT(refused.reason(), ContainsSubstring("prohibited, by a firewall or by a route"));
}

TEST_CASE("a link that carries less than IPv6 demands is a matter of size, not of reachability") {
    if (lab_missing()) return;
    PathLab lab(PathLab::switched);
    lab.in_middle("ip link set to-b mtu 1000");
    const Answer answer = ask_path(lab.b(true));
    CHECK(answer.cause() == "mtu.path-or-far-smaller");
    CHECK_THAT(answer.reason(), ContainsSubstring("the largest that does is 10"));  // veth lets 4 bytes more through
}

TEST_CASE("what is no path at all has its own causes") {
    if (lab_missing()) return;
    PathLab lab(PathLab::switched);
    lab.at_a("ip link add other type veth peer name other-end");
    lab.at_a("ip link set other mtu 9000 up");
    CHECK(ask_path("10.99.1.1").cause() == "mtu.own-address");
    CHECK(ask_path("127.0.0.1").cause() == "mtu.own-address");
    CHECK(ask_path("192.0.2.1").cause() == "mtu.no-route");
    CHECK(ask_path("no-such-name.invalid").cause() == "mtu.name-unresolved");
    CHECK(ask_path(lab.b(), {{"interface", "wired"}}).cause() == "mtu.interface-absent");
    CHECK(ask_path(lab.b(), {{"interface", "other"}}).cause() == "mtu.path-elsewhere");
    CHECK(ask_path(lab.b(), {{"interface", nullptr}}).outcome() == "pass");
}

TEST_CASE("a router's prohibit route is not called a firewall alone") {
    if (lab_missing()) return;
    PathLab lab(PathLab::routed);
    lab.in_middle("ip route add prohibit 10.99.2.2/32");
    lab.in_middle("ip -6 route add prohibit fd99:2::2/128");
    for (const bool v6 : {false, true}) {
        const Answer answer = ask_path(lab.b(v6));
        INFO(answer.reason());
        CHECK(answer.cause() == "mtu.no-answer");
        CHECK_THAT(answer.reason(), ContainsSubstring("prohibited, by a firewall or by a route"));
    }
    lab.in_middle("ip route replace unreachable 10.99.2.2/32");
    CHECK_THAT(ask_path(lab.b()).reason(), !ContainsSubstring("prohibited"));
}

TEST_CASE("the loopback interface's own MTU can be stated") {
    CHECK(ask_interface("lo", 65536).outcome() == "pass");
    CHECK(ask_interface("lo", 65535).cause() == "mtu.interface-differs");
}

TEST_CASE("a bridge whose member is smaller is not called fit") {
    if (lab_missing()) return;
    PathLab lab(PathLab::switched);
    lab.at_a("ip link add br9 type bridge");
    lab.at_a("ip link add tail mtu 1500 type veth peer name tail-end");
    lab.at_a("ip link set tail master br9");
    lab.at_a("ip link set br9 mtu 9000");
    const Answer answer = ask_interface("br9", 9000);
    CHECK(answer.cause() == "mtu.member-smaller");
    CHECK_THAT(answer.reason(), ContainsSubstring("tail below it only 1500"));
    lab.at_a("ip link set tail mtu 9000");
    CHECK(ask_interface("br9", 9000).outcome() == "pass");
    CHECK(ask_interface("wire", 9000).outcome() == "pass");  // a veth stands on nothing
}
