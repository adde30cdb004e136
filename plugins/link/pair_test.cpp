// link.pair with both its halves, each in a network of its own (needs root and ip(8)).
#include <linux/capability.h>
#include <sys/syscall.h>

#include <diag/testing_pair.hpp>

#include "catch.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_skip.hpp"

namespace pair_test {

extern "C" const diag_abi* diag_plugin_v1();

using namespace diag;
using diag::probe::testing::must;
using diag::probe::testing::NetLab;
using diag::probe::testing::skipped;
using diag::testing::PairAnswer;

namespace {

// Takes or gives back the right to open packet sockets, in this process and those it starts.
void packet_sockets(bool allowed) {
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3]{};
    if (::syscall(SYS_capget, &head, data) != 0) throw std::runtime_error("capget failed");
    const auto bit = 1U << CAP_NET_RAW;
    data[0].effective = allowed ? data[0].effective | bit : data[0].effective & ~bit;
    if (::syscall(SYS_capset, &head, data) != 0) throw std::runtime_error("capset failed");
}

struct PairLab : NetLab {
    bool raw_here = true, raw_there = true;

    PairAnswer ask(json more = json::object()) {
        json params = {{"interface", "wire"}, {"peer_interface", "wire"}, {"address", "10.99.0.1"}, {"peer_address", "10.99.0.2"}};
        params.update(more);
        packet_sockets(raw_here);
        PairAnswer answer = diag::testing::ask_pair(*diag_plugin_v1(), "pair", params, [this] {
            there();
            packet_sockets(raw_there);
        });
        packet_sockets(true);
        return answer;
    }
    // An interface of the far machine that is up, with a cable that leads nowhere near.
    void spare() {
        over_there("ip link add spare type veth peer name spare-far");
        over_there("ip link set spare up");
        over_there("ip link set spare-far up");
    }
    // Another one on the same wire as the planned one.
    void second() {
        over_there("ip link add second link wire type macvlan mode bridge");
        over_there("ip link set second up");
    }
};

std::string seen(const PairAnswer& answer) {
    std::string text;
    for (const auto& e : answer.here.events)
        if (e["event"] == "saw") text += e["text"].get<std::string>();
    return text;
}

}  // namespace

TEST_CASE("both ends of a cable agree: it is said in what, that the wiring is proved, and what could not be compared") {
    if (skipped(NetLab::missing())) return;
    PairLab lab;
    const PairAnswer answer = lab.ask({{"mtu", 1500}, {"speed", 1'000'000'000}});
    INFO(answer.here.reason() << seen(answer) << answer.there.reason());
    CHECK(answer.here.outcome() == "pass");
    CHECK(answer.here.reason() ==
          "node-a wire and node-b wire agree: MTU 1500; node-b wire answers on node-a wire; not compared: FEC, speed, duplex and "
          "autonegotiation");
    CHECK_THAT(seen(answer), ContainsSubstring("proved by Ethernet frames") && ContainsSubstring("not compared: FEC, speed"));
    CHECK(answer.there.outcome() == "pass");
    CHECK(answer.there.measured("mtu") == 1500);
}

TEST_CASE("different MTUs: the end that departs from the plan is named") {
    if (skipped(NetLab::missing())) return;
    PairLab lab;
    lab.over_there("ip link set wire mtu 1400");
    const PairAnswer answer = lab.ask({{"mtu", 1500}});
    CHECK(answer.here.cause() == "link.mtu-differs");
    CHECK(answer.here.verdict["values"]["machine"] == "node-b");
    CHECK(lab.ask({{"mtu", 1400}}).here.verdict["values"]["machine"] == "node-a");
    must("ip link set wire mtu 1400");
    CHECK(lab.ask({{"mtu", 1400}}).here.outcome() == "pass");
}

TEST_CASE("another interface of the far machine is plugged in: told by frames, and without CAP_NET_RAW by whose MAC answers") {
    if (skipped(NetLab::missing())) return;
    PairLab lab;
    lab.spare();
    for (const bool raw : {true, false})
        for (const bool end : {true, false}) {
            lab.raw_here = end || raw;
            lab.raw_there = !end || raw;
            const PairAnswer answer = lab.ask({{"peer_interface", "spare"}});
            INFO(answer.here.reason() << seen(answer) << answer.here.error.dump() << answer.there.error.dump());
            CHECK(answer.here.cause() == "link.wired-elsewhere");
            CHECK(answer.here.verdict["values"]["found"] == "wire");
            CHECK_THAT(seen(answer), ContainsSubstring(raw ? "by Ethernet frames" : "CAP_NET_RAW; so the wiring is proved by the MAC"));
            CHECK(lab.ask().here.outcome() == "pass");
        }
}

TEST_CASE("two interfaces of the far machine on one switch are both right, whichever way it is asked") {
    if (skipped(NetLab::missing())) return;
    PairLab lab;
    lab.second();
    for (const bool raw : {true, false}) {
        lab.raw_there = raw;
        for (const char* planned : {"wire", "second"}) {
            const PairAnswer answer = lab.ask({{"peer_interface", planned}});
            INFO(answer.here.reason() << seen(answer));
            CHECK(answer.here.outcome() == "pass");
            CHECK_THAT(answer.here.reason(), ContainsSubstring(std::string("node-b ") + planned + " answers on node-a wire"));
        }
    }
}

TEST_CASE("a bridge or a VLAN that is planned is found on what it stands on, and the other way round") {
    if (skipped(NetLab::missing())) return;
    PairLab lab;
    lab.over_there("ip link add br0 address 02:00:00:00:00:77 type bridge");
    lab.over_there("ip link set br0 up");
    lab.over_there("ip link set wire master br0");
    for (const char* planned : {"wire", "br0"}) {
        const PairAnswer answer = lab.ask({{"peer_interface", planned}});
        INFO(answer.here.reason() << seen(answer));
        CHECK(answer.here.outcome() == "pass");
        CHECK_THAT(answer.here.reason(), ContainsSubstring(std::string(planned) + " answers on node-a wire"));
        CHECK_THAT(answer.here.reason(), !ContainsSubstring("and so does"));
    }
}

TEST_CASE("an address that both machines have is found on whatever interface it is; a container bridge's is not a fault") {
    if (skipped(NetLab::missing())) return;
    PairLab lab;
    lab.spare();
    must("ip link add second type veth peer name second-far");
    must("ip addr add 10.10.77.1/24 dev second");
    lab.over_there("ip addr add 10.10.77.2/24 dev spare");
    CHECK(lab.ask().here.outcome() == "pass");
    lab.over_there("ip addr add 10.10.77.1/24 dev spare");
    const PairAnswer answer = lab.ask();
    CHECK(answer.here.cause() == "link.address-on-both");
    CHECK_THAT(answer.here.reason(), ContainsSubstring("10.10.77.1 is on second of node-a and on spare of node-b"));
    lab.over_there("ip addr del 10.10.77.1/24 dev spare");
    must("ip link add docker0 type bridge");
    must("ip addr add 172.17.0.1/16 dev docker0");
    lab.over_there("ip link add docker0 type bridge");
    lab.over_there("ip addr add 172.17.0.1/16 dev docker0");
    CHECK(lab.ask().here.outcome() == "pass");
    CHECK_THAT(seen(lab.ask()), ContainsSubstring("172.17.0.1 is on docker0 of node-a"));
}

TEST_CASE("an interface that one machine does not have is told by that machine, and one that is switched off is down") {
    if (skipped(NetLab::missing())) return;
    PairLab lab;
    const PairAnswer there = lab.ask({{"peer_interface", "wires"}});
    CHECK(there.here.cause() == "link.end-absent");
    CHECK(there.here.verdict["values"]["machine"] == "node-b");
    CHECK(there.there.cause() == "link.end-absent");
    CHECK_THAT(there.there.reason(), ContainsSubstring("wires"));
    const PairAnswer here = lab.ask({{"interface", "wires"}});
    CHECK(here.here.cause() == "link.end-absent");
    CHECK(here.here.verdict["values"]["machine"] == "node-a");
    CHECK(here.there.outcome() == "pass");
    lab.over_there("ip link set wire down");
    CHECK(lab.ask().here.cause() == "link.end-down");
    CHECK(lab.ask().here.verdict["values"]["machine"] == "node-b");
}

TEST_CASE("alone, nothing is compared and nothing passes; a plan of nonsense is said") {
    const json alone = {{"interface", "lo"}, {"peer_interface", "lo"}};
    const auto answer = diag::testing::ask(*diag_plugin_v1(), "pair", alone);
    CHECK(answer.error["kind"] == "companion");
    for (const json& wrong : {json{{"fec", "reed"}}, json{{"duplex", "both"}}}) {
        json params = alone;
        params.update(wrong);
        CHECK_FALSE(diag::testing::ask_pair(*diag_plugin_v1(), "pair", params).here.error.empty());
    }
}

TEST_CASE("an end's address on another interface than planned is said, with both; on a bridge above it it is in its place") {
    if (skipped(NetLab::missing())) return;
    PairLab lab;
    const json plan = {{"address", "10.99.0.1"}, {"peer_address", "10.99.0.2"}};
    CHECK(lab.ask(plan).here.outcome() == "pass");
    lab.over_there("ip link add br0 type bridge");
    lab.over_there("ip link set br0 up");
    lab.over_there("ip addr del 10.99.0.2/24 dev wire");
    CHECK(lab.ask(plan).here.reason() == "node-b has no address 10.99.0.2");
    lab.over_there("ip addr add 10.99.0.2/24 dev br0");
    const PairAnswer elsewhere = lab.ask(plan);
    CHECK(elsewhere.here.cause() == "link.end-address");
    CHECK(elsewhere.here.reason() == "10.99.0.2 is on br0 of node-b, and not on wire");
    lab.over_there("ip link set wire master br0");
    CHECK(lab.ask(plan).here.cause() != "link.end-address");
}

}  // namespace pair_test
