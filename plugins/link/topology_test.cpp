#include "topology_judge.hpp"

#include <diag/testing.hpp>

#include "catch.hpp"
#include "fake_world.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_skip.hpp"

namespace topology_test {

extern "C" const diag_abi* diag_plugin_v1();

using namespace diag;
using namespace diag::link;
using diag::probe::testing::must;
using diag::probe::testing::NetLab;
using diag::probe::testing::skipped;
using diag::probe::testing::Tree;
using diag::testing::Answer;

namespace {

using Macs = std::vector<std::string>;
using Answers = std::map<std::string, Macs>;

Verdict ask(FakeWorld& world, TopologyQuestion question = {"wire", "10.10.0.1", "10.10.0.2", {}}) {
    return judge_topology(question, world).verdict;
}

const std::string ours = "48:b0:2d:00:00:01", theirs = "48:b0:2d:00:00:02", strange = "48:b0:2d:00:00:03", vrrp = "00:00:5e:00:01:0a";

// The wire has its MAC, and its far end answers.
struct Cable : FakeWorld {
    Cable() {
        at_name("wire").mac = ours;
        answering = Answers{{"10.10.0.2", Macs{theirs}}};
    }
};

Answer live(json params) {
    params["interface"] = "wire";
    return diag::testing::ask(*diag_plugin_v1(), "topology", std::move(params));
}

Answer of_tree(const Tree& tree, const std::string& interface) {
    return diag::testing::ask(*diag_plugin_v1(), "topology", {{"interface", interface}}, tree.text());
}

void nic(Tree& tree, const std::string& name, const std::string& slot, bool carrier) {
    tree.device("pci0000:00/0000:" + slot + ":00.0", "pci", "mlx5_core");
    tree.interface(name, "pci0000:00/0000:" + slot + ":00.0", {{"carrier", carrier ? "1" : "0"}, {"operstate", carrier ? "up" : "down"}});
}

void keyfile(Tree& tree, const std::string& id, const std::string& interface) {
    tree.file("/etc/NetworkManager/system-connections/" + id + ".nmconnection",
              "[connection]\nid=" + id + "\ntype=ethernet\ninterface-name=" + interface + "\n\n[ipv4]\nmethod=manual\n");
}

}  // namespace

TEST_CASE("an interface that stands alone, with one answer from its far end, passes; and what could not be asked is said") {
    Cable world;
    const auto alone = ask(world);
    CHECK(alone.outcome == Outcome::pass);
    CHECK_THAT(alone.reason, ContainsSubstring("nobody else answers for 10.10.0.1; " + theirs + " answers for 10.10.0.2"));
    world.answering.reset();
    CHECK(ask(world).outcome == Outcome::pass);
    CHECK_THAT(ask(world).reason, ContainsSubstring("was not asked: that needs CAP_NET_RAW"));
}

TEST_CASE("two who answer for the far end's address, or one for this machine's own; a virtual router beside the real one is on purpose") {
    Cable world;
    world.answering = Answers{{"10.10.0.2", Macs{theirs, strange}}};
    CHECK(ask(world).cause == "link.address-twice");
    world.answering = Answers{{"10.10.0.2", Macs{theirs, vrrp}}};
    CHECK(ask(world).outcome == Outcome::pass);
    world.answering = Answers{{"10.10.0.1", Macs{strange}}, {"10.10.0.2", Macs{theirs}}};
    const auto twice = ask(world);
    CHECK(twice.cause == "link.address-twice");
    CHECK(twice.values["mac"] == strange);
    world.at_name("eth0").mac = strange;  // this machine's own other port, on the same switch
    CHECK(ask(world).outcome == Outcome::pass);
    world.answering = Answers{{"10.10.0.2", Macs{}}};  // silence is another check's
    CHECK(ask(world).outcome == Outcome::pass);
    world.own.push_back({2, at("10.10.0.2"), 24});  // the far end's address is here: link.routes tells
    world.answering = Answers{{"10.10.0.2", Macs{theirs, strange}}};
    CHECK(ask(world).outcome == Outcome::pass);
    CHECK_THROWS_AS(ask(world, {"wire", "10.10.0", std::nullopt, {}}), BadValue);
}

TEST_CASE("the far end answers with a MAC of this machine") {
    Cable world;
    world.answering = Answers{{"10.10.0.2", Macs{ours}}};
    CHECK(ask(world).cause == "link.mac-twice");
    CHECK(ask(world).outcome == Outcome::fail);
    world.at_name("wire").mac = vrrp;  // a virtual router's moves about
    world.answering = Answers{{"10.10.0.2", Macs{vrrp}}};
    CHECK(ask(world).outcome == Outcome::pass);
}

TEST_CASE("one MAC on two interfaces of this machine, unless they are one family") {
    Cable world;
    world.at_name("eth0").mac = ours;
    CHECK(ask(world).cause == "link.mac-twice");
    CHECK(ask(world).outcome == Outcome::warn);
    world.at_name("eth0").up = false;
    CHECK(ask(world).outcome == Outcome::pass);
    world.at_name("eth0").up = true;
    world.add("bond0", 4, "bond").mac = ours;
    for (const char* member : {"eth0", "wire"}) world.at_name(member).master = 4;
    world.add("bond0.7", 5, "vlan").mac = ours;
    world.at_name("bond0.7").lower = 4;
    world.add("br7", 6, "bridge").mac = ours;
    world.at_name("bond0.7").master = 6;
    CHECK(ask(world).outcome == Outcome::pass);
    CHECK(ask(world, {"br7", std::nullopt, std::nullopt, {}}).outcome == Outcome::pass);
    Cable lan;
    auto& macvlan = lan.add("mv0", 4, "macvlan");
    macvlan.mac = ours;
    macvlan.lower = 3;
    CHECK(ask(lan).outcome == Outcome::pass);
    auto& ports = lan.add("br0", 5, "bridge");
    ports.mac = theirs;
    lan.add("tap0", 6, "tun").mac = ours;
    lan.at_name("tap0").master = lan.at_name("wire").master = 5;
    CHECK(ask(lan).cause == "link.mac-twice");  // two ports of one bridge
}

TEST_CASE("a bridge with two adapters joins their networks; one adapter and virtual machines' ports are what bridges are for") {
    Cable world;
    world.add("br0", 4, "bridge");
    world.add("vnet0", 5, "tun").master = 4;
    world.add("veth7", 6, "veth").master = 4;
    world.at_name("wire").master = 4;
    CHECK(ask(world).outcome == Outcome::pass);
    world.at_name("eth0").master = 4;
    const auto joined = ask(world);
    CHECK(joined.cause == "link.bridge-joins-links");
    CHECK(joined.outcome == Outcome::fail);
    CHECK(joined.values["member"] == "eth0");
    CHECK(ask(world, {"br0", std::nullopt, std::nullopt, {}}).cause == "link.bridge-joins-links");
    world.tree.interface("br0", "", {{"ifindex", "4"}, {"bridge/stp_state", "0"}});
    CHECK(ask(world).outcome == Outcome::fail);
    world.tree.file("/sys/devices/virtual/net/br0/bridge/stp_state", "1");
    CHECK(ask(world).outcome == Outcome::warn);
    world.at_name("eth0").master = 0;
    world.add("eth0.7", 7, "vlan").lower = 2;  // a VLAN of the other adapter is its network as well
    world.at_name("eth0.7").master = 4;
    CHECK(ask(world).cause == "link.bridge-joins-links");
}

TEST_CASE("a bridge over two cables, and two owners of an address, on real interfaces") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    const json addresses = {{"address", "10.99.0.1"}, {"peer", "10.99.0.2"}};
    CHECK(live(addresses).outcome() == "pass");
    lab.over_there("ip link add second link wire type macvlan mode bridge");
    lab.over_there("ip link set second up");
    CHECK(live(addresses).cause() == "link.address-twice");
    lab.over_there("ip link del second");
    CHECK(live(addresses).outcome() == "pass");
    lab.over_there("ip addr add 10.99.0.1/32 dev wire");
    CHECK(live(addresses).cause() == "link.address-twice");
    lab.over_there("ip addr del 10.99.0.1/32 dev wire");
    CHECK(live({{"address", "fd99::1"}, {"peer", "fd99::2"}}).outcome() == "pass");
    lab.over_there("ip addr add fd99::1/128 dev wire nodad");
    CHECK(live({{"address", "fd99::1"}}).cause() == "link.address-twice");
    must("ip link set wire address 02:00:00:00:00:aa");
    lab.over_there("ip link set wire address 02:00:00:00:00:aa");
    CHECK(live({{"peer", "10.99.0.2"}}).cause() == "link.mac-twice");
    lab.over_there("ip link set wire address 02:00:00:00:00:ab");
    must("ip link add br0 type bridge");
    must("ip link add other type veth peer name other-far");
    must("ip link set wire master br0");
    must("ip link set other master br0");
    CHECK(live(json::object()).outcome() == "pass");  // a container's end
    CHECK(live({{"links", {"other"}}}).cause() == "link.bridge-joins-links");
}

TEST_CASE("a profile bound to a port without a cable, while the one with the cable has none; told from either port") {
    Tree tree;
    nic(tree, "enp1s0f0np0", "01", false);
    nic(tree, "enp1s0f1np1", "02", true);
    CHECK(of_tree(tree, "enp1s0f1np1").outcome() == "pass");  // nobody has planned anything
    keyfile(tree, "fabric0", "enp1s0f0np0");
    for (const char* port : {"enp1s0f0np0", "enp1s0f1np1"}) {
        const auto answer = of_tree(tree, port);
        CHECK(answer.cause() == "link.profile-without-cable");
        CHECK(answer.verdict["values"]["cabled"] == "enp1s0f1np1");
        CHECK(answer.verdict["values"]["bound"] == "enp1s0f0np0");
    }
    CHECK_THAT(of_tree(tree, "enp1s0f1np1").reason(), ContainsSubstring("the profile fabric0 of NetworkManager"));
    CHECK(of_tree(tree, "enp1s0f9").cause() == "link.absent");
}

TEST_CASE("a spare port's profile without a cable is no fault while the cabled port has its own, or a pattern's, or cannot be known") {
    Tree tree;
    nic(tree, "enp1s0f0np0", "01", false);
    nic(tree, "enp1s0f1np1", "02", true);
    keyfile(tree, "fabric0", "enp1s0f0np0");
    tree.file("/etc/netplan/10.yaml", "network: {ethernets: {enp1s0f1np1: {addresses: [10.0.0.1/24]}}}");
    CHECK(of_tree(tree, "enp1s0f1np1").outcome() == "pass");
    CHECK(of_tree(tree, "enp1s0f0np0").outcome() == "pass");
    tree.file("/etc/netplan/10.yaml", "network: {ethernets: {all: {match: {name: 'enp*'}, dhcp4: true}}}");
    CHECK(of_tree(tree, "enp1s0f1np1").outcome() == "pass");
    std::filesystem::remove(tree.root() / "etc/netplan/10.yaml");
    CHECK(of_tree(tree, "enp1s0f1np1").cause() == "link.profile-without-cable");
    tree.refused("/etc/netplan/20.yaml");
    const auto unknown = of_tree(tree, "enp1s0f1np1");
    CHECK(unknown.outcome() == "pass");
    CHECK_THAT(unknown.reason(), ContainsSubstring("not judged, as /etc/netplan/20.yaml"));
}

TEST_CASE("a profile of an adapter that is not on the bus: nothing is called broken, and the cabled port is named") {
    Tree tree;
    nic(tree, "enp1s0f1np1", "02", true);
    tree.file("/etc/systemd/network/10-fabric.network", "[Match]\nName=enp1s0f0np0\n[Network]\nAddress=10.0.0.1/24\n");
    const auto answer = of_tree(tree, "enp1s0f1np1");
    CHECK(answer.cause() == "link.profile-without-cable");
    CHECK_THAT(answer.reason(), ContainsSubstring("no adapter of this machine now (some leave the bus without a cable)"));
    tree.file("/etc/systemd/network/10-fabric.network", "[Match]\nName=bond0\n[Network]\nAddress=10.0.0.1/24\n");
    tree.interface("bond0", "", {{"uevent", "DEVTYPE=bond"}});  // a profile of what the machine makes itself
    CHECK(of_tree(tree, "enp1s0f1np1").outcome() == "pass");
}

}  // namespace topology_test
