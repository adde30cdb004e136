#include "probe/bond.hpp"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <diag/verdict.hpp>

#include "catch.hpp"
#include "probe/bond_wire.hpp"
#include "probe/testing_tree.hpp"

using namespace diag;
using namespace diag::probe;
using diag::probe::testing::Tree;

namespace {

// The kernel's message about a bond, as bond_fill_info() of drivers/net/bonding/bond_netlink.c writes it.
NetlinkMessage master(std::uint8_t mode, const unsigned char (&partner)[6]) {
    NetlinkRequest request(RTM_NEWLINK, 0);
    ifinfomsg header{};
    header.ifi_index = 7;
    request.header(header).attribute(IFLA_IFNAME, "bond0", 6);
    nl_msg* message = request.get();
    nlattr* info = nla_nest_start(message, IFLA_LINKINFO);
    nla_put_string(message, IFLA_INFO_KIND, "bond");
    nlattr* data = nla_nest_start(message, IFLA_INFO_DATA);
    nla_put_u8(message, IFLA_BOND_MODE, mode);
    nla_put_u32(message, IFLA_BOND_MIIMON, 100);
    nla_put_u32(message, IFLA_BOND_ACTIVE_SLAVE, 9);
    nlattr* ad = nla_nest_start(message, IFLA_BOND_AD_INFO);
    nla_put_u16(message, IFLA_BOND_AD_INFO_AGGREGATOR, 2);
    nla_put_u16(message, IFLA_BOND_AD_INFO_NUM_PORTS, 4);
    nla_put(message, IFLA_BOND_AD_INFO_PARTNER_MAC, 6, partner);
    nla_nest_end(message, ad);
    nla_nest_end(message, data);
    nla_nest_end(message, info);
    return NetlinkMessage(nlmsg_hdr(message));
}

NetlinkMessage member(unsigned of, const char* kind) {
    NetlinkRequest request(RTM_NEWLINK, 0);
    ifinfomsg header{};
    header.ifi_index = 9;
    request.header(header).attribute(IFLA_IFNAME, "eth1", 5).attribute(IFLA_MASTER, of);
    nl_msg* message = request.get();
    nlattr* info = nla_nest_start(message, IFLA_LINKINFO);
    nla_put_string(message, IFLA_INFO_SLAVE_KIND, kind);
    nlattr* data = nla_nest_start(message, IFLA_INFO_SLAVE_DATA);
    nla_put_u8(message, IFLA_BOND_SLAVE_STATE, 1);
    nla_put_u8(message, IFLA_BOND_SLAVE_MII_STATUS, 2);
    nla_put_u32(message, IFLA_BOND_SLAVE_LINK_FAILURE_COUNT, 122);
    nla_put_u16(message, IFLA_BOND_SLAVE_AD_AGGREGATOR_ID, 3);
    nla_put_u8(message, IFLA_BOND_SLAVE_AD_ACTOR_OPER_PORT_STATE, 79);
    nla_put_u16(message, IFLA_BOND_SLAVE_AD_PARTNER_OPER_PORT_STATE, 55);
    nla_nest_end(message, data);
    nla_nest_end(message, info);
    return NetlinkMessage(nlmsg_hdr(message));
}

}  // namespace

TEST_CASE("a bond's message tells its mode, its aggregator and its partner; another kind of master is none") {
    const auto found = read_bond(master(4, {2, 0xfc, 0xce, 0x91, 0x32, 0x14}));
    REQUIRE(found);
    CHECK(found->bond.lacp());
    CHECK(found->bond.miimon == 100);
    CHECK(found->active == 9);
    CHECK(found->bond.aggregator == 2U);
    CHECK(found->bond.ports == 4U);
    CHECK(found->bond.partner_mac == "02:fc:ce:91:32:14");
    CHECK(read_bond(master(1, {0, 0, 0, 0, 0, 0}))->bond.mode == "active-backup");
    CHECK_FALSE(read_bond(member(7, "bond")));
}

TEST_CASE("a member's message tells its aggregator and both LACP states; a bridge port, and another bond's member, are none") {
    const auto found = read_bond_member(member(7, "bond"), 7);
    REQUIRE(found);
    CHECK(found->name == "eth1");
    CHECK(found->mii == "down");
    CHECK(found->in_backup);
    CHECK(found->link_failures == 122);
    CHECK(found->aggregator == 3U);
    CHECK(found->actor->defaulted());
    CHECK(found->actor->text() == "in sync, defaulted");
    CHECK(found->partner->text() == "collecting, distributing");
    CHECK_FALSE(found->partner->in_sync());
    CHECK_FALSE(read_bond_member(member(8, "bond"), 7));
    CHECK_FALSE(read_bond_member(member(7, "bridge"), 7));
}

TEST_CASE("the churn states of /proc/net/bonding belong to the member above them, and a member that is not named has none") {
    std::vector<BondMember> members(3);
    members[0].name = "enp1s0f0";
    members[1].name = "enp1s0f1";
    members[2].name = "enp1s0f2";
    read_churn(
        "Ethernet Channel Bonding Driver: v3.7.1 (April 27, 2011)\n\nMII Status: up\n\nSlave Interface: enp1s0f0\nMII Status: down\n"
        "Speed: Unknown\nAggregator ID: 1\nActor Churn State: churned\nPartner Churn State: churned\nActor Churned Count: 1\n\n"
        "Slave Interface: enp1s0f9\nActor Churn State: none\n\nSlave Interface: enp1s0f1\nActor Churn State: none\n"
        "Partner Churn State: monitoring\n",
        members);
    CHECK(members[0].actor_churn == "churned");
    CHECK(members[1].actor_churn == "none");
    CHECK(members[1].partner_churn == "monitoring");
    CHECK(members[2].actor_churn.empty());
}

TEST_CASE("a captured tree tells the same of a bond; what is none, and what is not there, are absent") {
    Tree tree;
    tree.interface("bond0", "",
                   {{"bonding/mode", "802.3ad 4"},
                    {"bonding/miimon", "100"},
                    {"bonding/slaves", "eth1"},
                    {"bonding/ad_aggregator", "2"},
                    {"bonding/ad_partner_mac", "02:fc:ce:91:32:14"}});
    tree.interface(
        "eth1", "pci0000:00/0000:00:01.0",
        {{"bonding_slave/mii_status", "up"}, {"bonding_slave/ad_aggregator_id", "N/A"}, {"bonding_slave/ad_actor_oper_port_state", "63"}});
    const Bond found = bond(tree.root(), "bond0");
    CHECK(found.lacp());
    REQUIRE(found.members.size() == 1);
    CHECK(found.members[0].mii == "up");
    CHECK_FALSE(found.members[0].aggregator);
    CHECK(found.members[0].actor->distributing());
    CHECK_FALSE(found.members[0].partner);
    CHECK((found.miimon == 100U && !found.arp_interval && !found.members[0].link_failures && !found.members[0].in_backup));
    tree.interface("bond2", "", {{"uevent", "DEVTYPE=bond"}});
    CHECK_THROWS_AS(bond(tree.root(), "bond2"), Unreadable);  // the tree lacks what it is
    tree.interface("bond3", "", {{"bonding/mode", "802.3ad 4"}});
    CHECK_THROWS_AS(bond(tree.root(), "bond3"), Unreadable);  // and its members
    CHECK_THROWS_AS(bond(tree.root(), "eth1"), Absent);
    CHECK_THROWS_AS(bond(tree.root(), "bond1"), Absent);
    CHECK_THROWS_AS(bond({}, "lo"), Absent);
}
