#include "probe/ethtool.hpp"

#include <cerrno>

#include <linux/ethtool.h>
#include <linux/netlink.h>

#include <diag/verdict.hpp>

#include "catch.hpp"
#include "probe/netlink.hpp"
#include "probe/testing_tree.hpp"

using namespace diag;
using namespace diag::probe;

namespace {

constexpr unsigned off = ETHTOOL_LINK_MODE_FEC_NONE_BIT, rs = ETHTOOL_LINK_MODE_FEC_RS_BIT, baser = ETHTOOL_LINK_MODE_FEC_BASER_BIT;

// As ethtool 6.1 prints it.
const char* const settings = R"(Settings for eth0:
	Supported ports: [ FIBRE ]
	Supports auto-negotiation: Yes
	Supported FEC modes: RS	 BASER
	Advertised auto-negotiation: No
	Speed: 100000Mb/s
	Duplex: Full
	Auto-negotiation: off
	Link detected: yes
)";

}  // namespace

TEST_CASE("a FEC that is switched off, one that the driver does not have, and one that is not told are three answers") {
    CHECK(fec_from(off, {off}, false).mode == FecMode::off);
    CHECK(fec_from(0, {}, false).mode == FecMode::unsupported);
    const Fec untold = fec_from(0, {rs, baser}, false);
    CHECK(untold.mode == FecMode::unreadable);
    CHECK_THAT(untold.why, ContainsSubstring("rs, baser"));
    CHECK(parse_fec("FEC parameters for eth0:\nConfigured FEC encodings: Off\nActive FEC encoding: Off\n").mode == FecMode::off);
    CHECK(parse_fec("netlink error: Operation not supported\n").mode == FecMode::unsupported);
    CHECK(parse_fec("Cannot get FEC settings: Operation not supported\n").mode == FecMode::unsupported);
    CHECK(parse_fec("netlink error: No such device\n").mode == FecMode::unreadable);
    CHECK(parse_fec("").mode == FecMode::unreadable);
}

TEST_CASE("the active mode counts; without one, the configured one where it is one alone") {
    CHECK(fec_from(rs, {rs, baser}, true).mode == FecMode::rs);
    CHECK(fec_from(baser, {}, true).configured == std::vector<std::string>{"auto"});
    CHECK(fec_from(0, {rs}, false).mode == FecMode::rs);
    CHECK(fec_from(0, {}, true).mode == FecMode::automatic);
    CHECK(fec_from(ETHTOOL_LINK_MODE_100000baseKR4_Full_BIT, {}, false).mode == FecMode::unreadable);
    CHECK(parse_fec("Supported/Configured FEC encodings: Auto RS BaseR\nActive FEC encoding: BaseR\n").mode == FecMode::baser);
    CHECK(parse_fec("Configured FEC encodings: RS\nActive FEC encoding: None\n").mode == FecMode::rs);
    CHECK(parse_fec("Configured FEC encodings: None\nActive FEC encoding: None\n").mode == FecMode::unsupported);
}

TEST_CASE("ethtool's words for what a link can do are not taken for what it does") {
    const LinkSettings found = parse_link_settings(settings);
    CHECK(found.state == LinkSettings::State::told);
    CHECK(found.autonegotiation == false);
    CHECK(found.speed.rate == Rate{100'000'000'000});
    CHECK(found.duplex == "full");
    const LinkSettings down =
        parse_link_settings("Settings for eth0:\n\tSpeed: Unknown!\n\tDuplex: Unknown! (255)\n\tAuto-negotiation: on\n");
    CHECK(down.autonegotiation == true);
    CHECK_FALSE(down.speed.rate);
    CHECK(down.duplex.empty());
    CHECK(parse_link_settings("Settings for lo:\n\tLink detected: yes\n").state == LinkSettings::State::unreadable);
    CHECK(parse_link_settings("netlink error: Operation not supported\n").state == LinkSettings::State::unsupported);
}

TEST_CASE("a captured tree holds ethtool's output; one without it is unreadable, and an interface it does not have is absent") {
    probe::testing::Tree tree;
    tree.interface("eth0", "pci0000:00/0000:01:00.0", {});
    tree.interface("eth1", "pci0000:00/0000:02:00.0", {});
    tree.file("/ethtool/eth0", settings);
    tree.file("/ethtool/eth0.fec", "Configured FEC encodings: RS\nActive FEC encoding: RS");
    CHECK(fec(tree.root(), "eth0").mode == FecMode::rs);
    CHECK(link_settings(tree.root(), "eth0").duplex == "full");
    CHECK_THAT(fec(tree.root(), "eth1").why, ContainsSubstring("no file ethtool/eth1.fec"));
    CHECK(link_settings(tree.root(), "eth1").state == LinkSettings::State::unreadable);
    CHECK_THROWS_AS(fec(tree.root(), "eth2"), Absent);
    CHECK_THROWS_AS(fec(tree.root(), "../eth0"), Absent);
}

TEST_CASE("this kernel is asked by netlink: loopback has no FEC, which is not off, and a name that nothing has is absent") {
    const Fec loopback = fec("", "lo");
    CHECK((loopback.mode == FecMode::unsupported || loopback.mode == FecMode::unreadable));
    CHECK_FALSE(loopback.why.empty());
    for (const auto& each : interfaces()) {
        const LinkSettings found = link_settings("", each.name);
        INFO(each.name << ": " << found.why);
        CHECK((found.state == LinkSettings::State::told) == found.why.empty());
    }
    if (loopback.mode != FecMode::unsupported) WARN("not asked: " << loopback.why);
    if (loopback.mode == FecMode::unsupported) CHECK_THROWS_AS(fec("", "no-such-if"), Absent);
    CHECK_THROWS_AS(link_settings("", ""), Absent);
    CHECK_THROWS_AS(link_settings("", "longer-than-a-kernel-name-may-be"), Absent);
}
