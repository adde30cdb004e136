// What is lost, and what only looks lost: directions, filters and limits, on real packets.  Needs root, ip(8) and nft(8).
#include <string>

#include "catch.hpp"
#include "path_ask.hpp"

using namespace mtu;

TEST_CASE("the same loss has the same cause, however often it is asked about") {
    if (lab_missing()) return;
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
    if (lab_missing()) return;
    PathLab lab(PathLab::routed);
    lab.in_middle("ip link set to-b mtu 1500");
    lab.in_middle("nft add table inet filter");
    lab.in_middle("nft add chain inet filter out { type filter hook output priority 0 ; }");
    lab.in_middle("nft add rule inet filter out icmp type destination-unreachable drop");
    for (int again = 0; again < 5; ++again) {  // the router's kernel allows about six errors at once, too
        const Answer answer = ask_path(lab.b());
        INFO(again << " " << answer.reason() << text_of(answer, "evidence"));
        CHECK(answer.cause() == "mtu.black-hole");
        CHECK_THAT(answer.reason(), ContainsSubstring("10.99.1.254 still answers large packets"));
    }
}

TEST_CASE("where the far end answers no UDP, a loss is blamed on no direction") {
    if (lab_missing()) return;
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
    if (lab_missing()) return;
    for (const bool back : {true, false}) {
        PathLab lab(PathLab::switched);
        lab.drop_in_middle(back ? "to-b" : "to-a", "meta length > 1600");
        lab.filter_at_b("meta l4proto udp reject with icmpx admin-prohibited");
        CHECK(ask_path(lab.b()).cause() == (back ? "mtu.return-smaller-or-filtered" : "mtu.path-or-far-smaller"));
    }
}

TEST_CASE("a filter of large echo is said to be possible, where large UDP arrives") {
    if (lab_missing()) return;
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

TEST_CASE("random loss is not called a smaller MTU") {
    if (lab_missing()) return;
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
    if (lab_missing()) return;
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
    if (lab_missing()) return;
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
    if (lab_missing()) return;
    PathLab lab(PathLab::switched);
    lab.in_middle("ip link set to-b mtu 3333");
    lab.filter_at_b("icmp type echo-request limit rate over 3/minute burst 5 packets drop");
    const Answer answer = ask_path(lab.b());
    INFO(answer.reason() << text_of(answer, "evidence"));
    CHECK(answer.cause() == "mtu.echo-limited");
}

TEST_CASE("echo that is dropped at the far end is told from a far end that is gone, and the way there is still judged") {
    if (lab_missing()) return;
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
