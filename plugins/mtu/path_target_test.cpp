// What mtu.path and mtu.interface say of a target that is none, or is reached otherwise; on real packets, as path_test.cpp.
#include "catch.hpp"
#include "path_ask.hpp"
#include "path_lab.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_resolver.hpp"
#include "probe/testing_skip.hpp"

using namespace mtu;
using diag::probe::testing::NetLab;
using diag::probe::testing::skipped;

TEST_CASE("a peer that is gone, or refuses, is a matter of reachability") {
    if (skipped(NetLab::missing(true))) return;
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

TEST_CASE("echo that is dropped at the far end is told from a far end that is gone, and the way there is still judged") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.at_b("nft add table inet filter");
    lab.at_b("nft add chain inet filter in { type filter hook input priority 0 ; }");
    lab.at_b("nft add rule inet filter in icmp type echo-request drop");
    const Answer filtered = ask_path(lab.b());
    CHECK(filtered.cause() == "mtu.echo-filtered");
    CHECK(filtered.outcome() == "warn");
    lab.in_middle("ip link set to-b mtu 1500");
    CHECK(ask_path(lab.b()).cause() == "mtu.path-or-far-smaller");
    lab.in_middle("ip link set to-b mtu 9000");
    lab.at_b("nft add rule inet filter in udp dport != 22 drop");
    const Fd port = lab.listen_at_b(22);
    const Answer alive = ask_path(lab.b());
    CHECK(alive.cause() == "mtu.echo-filtered");
    CHECK(alive.outcome() == "fail");  // no size was measured
}

TEST_CASE("a link that carries less than IPv6 demands is a matter of size, not of reachability") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.in_middle("ip link set to-b mtu 1000");
    const Answer answer = ask_path(lab.b(true));
    CHECK(answer.cause() == "mtu.path-or-far-smaller");
    CHECK_THAT(answer.reason(), ContainsSubstring("the largest that does is 10"));  // veth lets 4 bytes more through
}

TEST_CASE("what is no path at all has its own causes") {
    if (skipped(NetLab::missing(true))) return;
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

TEST_CASE("a rule by source address that leaves programs no way, or another, is seen") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.at_a("ip link add other type veth peer name other-end");
    lab.at_a("ip addr add 10.98.0.1/24 dev other");
    lab.at_a("ip link set other up");
    lab.at_a("ip link set other-end up");
    lab.at_a("ip route add table 77 blackhole default");
    lab.at_a("ip rule add from 10.98.0.1 lookup 77");
    CHECK(ask_path(lab.b()).outcome() == "pass");  // the rule is for another address
    lab.at_a("ip rule add from 10.99.1.1 lookup 77");
    const Answer nowhere = ask_path(lab.b());
    CHECK(nowhere.cause() == "mtu.no-route");
    CHECK_THAT(nowhere.reason(), ContainsSubstring("leads what comes from 10.99.1.1 nowhere"));
    lab.at_a("ip route replace table 77 default via 10.98.0.9 dev other");
    CHECK(ask_path(lab.b()).cause() == "mtu.path-elsewhere");
}

TEST_CASE("an interface in a bridge is measured by its bridge") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.at_a("ip link add br9 mtu 9000 type bridge");
    lab.at_a("ip link set br9 up");
    lab.at_a("ip addr flush dev wire");
    lab.at_a("ip link set wire master br9");
    lab.at_a("ip link set br9 mtu 9000");
    lab.at_a("ip addr add 10.99.1.1/24 dev br9");
    CHECK(ask_path(lab.b()).outcome() == "pass");
    CHECK(ask_path(lab.b(), {{"interface", "br9"}}).outcome() == "pass");
}

TEST_CASE("a link-local address is measured on the interface given, and without one is told as such") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    lab.at_b("ip addr add fe80::b/64 dev wire nodad");
    CHECK(ask_path("fe80::b").outcome() == "pass");
    CHECK(ask_path("fe80::b%wire", {{"interface", nullptr}}).outcome() == "pass");
    CHECK(ask_path("fe80::b", {{"interface", nullptr}}).cause() == "mtu.link-local");
}

TEST_CASE("where only an address is given, it stands for the name in what is advised") {
    if (skipped(NetLab::missing(true))) return;
    PathLab lab(PathLab::switched);
    const Answer answer = ask_path("", {{"name", nullptr}, {"address", "10.99.1.77"}});
    CHECK(answer.cause() == "mtu.no-answer");
    CHECK(answer.verdict["values"]["name"] == "10.99.1.77");
}

TEST_CASE("a name that no DNS server answers for is told before the check's own time is over") {
    if (skipped(diag::probe::testing::no_resolver())) return;
    CHECK(diag::probe::testing::with_resolver("nameserver 192.0.2.53\noptions timeout:30\n", [] {
        const Answer answer = ask_path("node-b.example");
        return answer.cause() == "mtu.name-unresolved" && answer.reason().find("no answer within 12 s") != std::string::npos;
    }));
}

TEST_CASE("a router's prohibit route is not called a firewall alone") {
    if (skipped(NetLab::missing(true))) return;
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
    if (skipped(NetLab::missing(true))) return;
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
