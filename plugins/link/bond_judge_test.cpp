// link.bond on captured trees: the numbers are those of real bonds (port state 63: in sync, collecting, distributing; 79: invented).
#include <diag/testing.hpp>

#include "catch.hpp"
#include "probe/testing_tree.hpp"

namespace bond_judge_test {

extern "C" const diag_abi* diag_plugin_v1();

using diag::json;
using diag::probe::testing::Tree;
using diag::testing::Answer;

namespace {

// A bond of four lanes of 25 Gbit/s, as one Thor has it, with a switch that speaks LACP.
struct Bonded {
    Tree tree;
    std::string churn;

    explicit Bonded(const std::string& mode = "802.3ad 4") {
        tree.interface("bond0", "",
                       {{"uevent", "DEVTYPE=bond"},
                        {"mtu", "9000"},
                        {"bonding/mode", mode},
                        {"bonding/miimon", "100"},
                        {"bonding/arp_interval", "0"},
                        {"bonding/slaves", "mgbe0_0 mgbe1_0 mgbe2_0 mgbe3_0"},
                        {"bonding/ad_aggregator", mode == "802.3ad 4" ? "1" : "N/A"},
                        {"bonding/ad_partner_mac", mode == "802.3ad 4" ? "02:fc:ce:91:32:14" : ""}});
        for (int n = 0; n < 4; ++n) {
            const std::string name = fmt::format("mgbe{}_0", n), parent = fmt::format("platform/a80{}.ethernet", n);
            tree.device(parent, "platform", "nvethernet");
            const std::string own = tree.interface(name, parent,
                                                   {{"speed", "25000"},
                                                    {"mtu", "9000"},
                                                    {"address", "02:00:00:00:00:01"},
                                                    {"bonding_slave/perm_hwaddr", fmt::format("48:b0:2d:00:00:0{}", n)},
                                                    {"bonding_slave/state", "active"},
                                                    {"bonding_slave/mii_status", "up"},
                                                    {"bonding_slave/link_failure_count", "0"},
                                                    {"bonding_slave/ad_aggregator_id", "1"},
                                                    {"bonding_slave/ad_actor_oper_port_state", "63"},
                                                    {"bonding_slave/ad_partner_oper_port_state", "63"}});
            tree.link(own + "/master", "../../../../virtual/net/bond0");
        }
    }
    void set(const std::string& file, const std::string& value) { tree.file("/sys/class/net/" + file, value); }
    void lane(int n, const std::string& file, const std::string& value) { set(fmt::format("mgbe{}_0/", n) + file, value); }
    // What the kernel shows of a lane on which nobody answers.
    void silent(int n) {
        lane(n, "bonding_slave/ad_aggregator_id", std::to_string(n + 1));
        lane(n, "bonding_slave/ad_actor_oper_port_state", n == 0 ? "79" : "71");
        lane(n, "bonding_slave/ad_partner_oper_port_state", "1");
    }
    Answer ask(json params = {{"lanes", 4}}, const std::string& interface = "bond0") {
        params["interface"] = interface;
        return diag::testing::ask(*diag_plugin_v1(), "bond", std::move(params), tree.text());
    }
};

const json unplanned = json::object();

}  // namespace

TEST_CASE("four lanes that both ends agree on pass, and say with whom") {
    Bonded bond;
    const auto answer = bond.ask();
    INFO(answer.reason());
    CHECK(answer.outcome() == "pass");
    CHECK_THAT(answer.reason(), ContainsSubstring("4 lanes (mgbe0_0, mgbe1_0, mgbe2_0 and mgbe3_0)"));
    CHECK_THAT(answer.reason(), ContainsSubstring("with 02:fc:ce:91:32:14, MTU 9000"));
    CHECK(answer.measured("lanes") == 4);
}

TEST_CASE("what is no bond is skipped, unless one is planned; a name that is not here is absent; a bond switched off tells nothing") {
    Bonded bond;
    CHECK(bond.ask(unplanned, "mgbe0_0").outcome() == "skip");
    CHECK_THAT(bond.ask(unplanned, "mgbe0_0").reason(), ContainsSubstring("no bond: it is an adapter"));
    CHECK(bond.ask({{"lanes", 4}}, "mgbe0_0").cause() == "link.bond-none");
    CHECK(bond.ask(unplanned, "bond7").cause() == "link.absent");
    bond.set("bond0/flags", "0x1002");
    CHECK(bond.ask().cause() == "link.down");
}

TEST_CASE("fewer members than planned, and one that is down, are two causes; without a plan the bond works on") {
    Bonded bond;
    CHECK(bond.ask({{"lanes", 5}}).cause() == "link.bond-lanes");
    bond.lane(2, "carrier", "0");
    const auto answer = bond.ask();
    CHECK(answer.cause() == "link.member-down");
    CHECK(answer.outcome() == "fail");
    CHECK(answer.verdict["values"]["member"] == "mgbe2_0");
    CHECK(bond.ask(unplanned).cause() == "link.member-down");
    CHECK(bond.ask(unplanned).outcome() == "warn");
    CHECK(bond.ask({{"lanes", 3}}).outcome() == "warn");
    for (const int n : {0, 1, 3}) bond.lane(n, "carrier", "0");
    CHECK(bond.ask(unplanned).outcome() == "fail");
    Bonded empty;
    empty.set("bond0/bonding/slaves", "");
    CHECK(empty.ask(unplanned).cause() == "link.bond-lanes");
}

TEST_CASE("nobody speaks LACP at the other end: the switch has to move, although every lane has carrier") {
    Bonded bond;
    for (int n = 0; n < 4; ++n) bond.silent(n);
    bond.set("bond0/bonding/ad_partner_mac", "00:00:00:00:00:00");
    const auto answer = bond.ask();
    CHECK(answer.cause() == "link.bond-no-partner");
    CHECK_THAT(answer.reason(), ContainsSubstring("partner 00:00:00:00:00:00"));
    bond.set("bond0/bonding/ad_partner_mac", "");  // not told without CAP_NET_ADMIN
    CHECK(bond.ask().cause() == "link.bond-no-partner");
    Bonded other("active-backup 1");  // no LACP is meant, and there is no partner
    other.set("bond0/bonding/active_slave", "mgbe0_0");
    CHECK(other.ask().outcome() == "pass");
}

TEST_CASE("one lane without LACP, one in another aggregator, and one out of step are told apart") {
    Bonded silent;
    silent.silent(3);
    CHECK(silent.ask().cause() == "link.bond-lane-silent");
    CHECK(silent.ask().verdict["values"]["member"] == "mgbe3_0");
    Bonded split;
    split.lane(3, "bonding_slave/ad_aggregator_id", "2");
    CHECK(split.ask().cause() == "link.bond-split");
    CHECK_THAT(split.ask().reason(),
               ContainsSubstring("mgbe3_0 is not in the aggregator of bond0 that carries its traffic (2 instead of 1)"));
    Bonded churned;
    churned.lane(1, "bonding_slave/ad_actor_oper_port_state", "15");
    churned.lane(1, "bonding_slave/ad_partner_oper_port_state", "55");
    CHECK(churned.ask().cause() == "link.bond-churn");
    CHECK_THAT(churned.ask().reason(),
               ContainsSubstring("carries nothing: this end says in sync, the other end says collecting, distributing"));
    churned.tree.file("/proc/net/bonding/bond0", "Slave Interface: mgbe1_0\nActor Churn State: none\nPartner Churn State: churned\n");
    CHECK_THAT(churned.ask().reason(), ContainsSubstring("for more than a minute"));
    CHECK(churned.ask().verdict["values"]["side"] == "the other end");
    Bonded passive;  // the other end is passive (62), and its slow timeout differs: agreed all the same
    for (int n = 0; n < 4; ++n) passive.lane(n, "bonding_slave/ad_partner_oper_port_state", "60");
    CHECK(passive.ask().outcome() == "pass");
}

TEST_CASE("a slower lane is why 802.3ad leaves it out; a slower backup is on purpose") {
    Bonded bond;
    bond.lane(2, "speed", "10000");
    bond.lane(2, "bonding_slave/ad_aggregator_id", "2");
    const auto answer = bond.ask();
    CHECK(answer.cause() == "link.bond-speeds");
    CHECK(answer.outcome() == "fail");
    Bonded robin("balance-rr 0");
    robin.lane(2, "speed", "10000");
    CHECK(robin.ask().cause() == "link.bond-speeds");
    CHECK(robin.ask().outcome() == "warn");
    Bonded backup("active-backup 1");
    backup.lane(2, "speed", "10000");
    CHECK(backup.ask().outcome() == "pass");
}

TEST_CASE("a member that carries smaller frames than its bond loses them; a larger one does not") {
    Bonded bond;
    bond.lane(1, "mtu", "1500");
    CHECK(bond.ask().cause() == "link.bond-mtu");
    CHECK(bond.ask().outcome() == "fail");
    Bonded forgotten;
    forgotten.set("bond0/mtu", "1500");
    CHECK(forgotten.ask().cause() == "link.bond-mtu");
    CHECK(forgotten.ask().outcome() == "warn");
}

TEST_CASE("a bond that watches nothing warns; one that watches by ARP does not") {
    Bonded bond("balance-xor 2");
    bond.set("bond0/bonding/miimon", "0");
    CHECK(bond.ask().cause() == "link.bond-unwatched");
    bond.set("bond0/bonding/arp_interval", "200");
    CHECK(bond.ask().outcome() == "pass");
}

TEST_CASE("what a captured tree does not hold of a bond is not known: its members, and whether it watches its lanes") {
    Bonded bond;
    const auto without = [&](const std::string& file) {
        std::filesystem::remove(bond.tree.root() / "sys/devices/virtual/net/bond0" / file);
    };
    without("bonding/miimon");
    CHECK(bond.ask().outcome() == "pass");
    without("mtu");
    CHECK(bond.ask().outcome() == "pass");
    without("bonding/slaves");
    CHECK(bond.ask().outcome() == "not_run");
    CHECK_THAT(bond.ask().reason(), ContainsSubstring("does not hold /sys/class/net/bond0/bonding/slaves"));
    bond.set("bond0/bonding/slaves", "");
    CHECK(bond.ask().cause() == "link.bond-lanes");  // it is there, and empty
    without("bonding/mode");
    CHECK(bond.ask().outcome() == "not_run");
}

}  // namespace bond_judge_test
