// link.state on captured trees (--root): machines in the shapes that field reports have.
#include <diag/testing.hpp>

#include "catch.hpp"
#include "probe/testing_tree.hpp"

namespace state_tree_test {

extern "C" const diag_abi* diag_plugin_v1();

using diag::json;
using diag::probe::testing::Tree;
using diag::testing::Answer;

static Answer state(const Tree& tree, json params) {
    return diag::testing::ask(*diag_plugin_v1(), "state", std::move(params), tree.text());
}

constexpr std::int64_t gbit = 1'000'000'000;

static std::string nic(Tree& tree, const std::string& name, const std::string& device, Tree::Files files,
                       const std::string& driver = "mlx5_core") {
    tree.device(device, "pci", driver);
    return tree.interface(name, device, std::move(files));
}

TEST_CASE("an adapter with two functions on one port: each has its own facts, keyed by its permanent MAC") {
    Tree tree;
    for (const auto& [name, device, mac] : {std::tuple("enp1s0f0np0", "pci0000:00/0000:01:00.0", "48:b0:2d:00:00:01"),
                                            std::tuple("enP2p1s0f0np0", "pci0002:00/0002:01:00.0", "48:b0:2d:00:00:05")})
        nic(tree, name, device, {{"speed", "200000"}, {"duplex", "full"}, {"phys_port_name", "p0"}, {"address", mac}});
    const auto answer = state(tree, {{"interface", "enP2p1s0f0np0"}, {"speed", 200 * gbit}});
    CHECK(answer.outcome() == "pass");
    CHECK(answer.measured("speed") == 200e9);
    json facts;
    for (const auto& event : answer.events)
        if (event["event"] == "fact") facts[event["name"].get<std::string>()] = event["value"];
    CHECK(facts == json{{"adapter 48:b0:2d:00:00:05 interface", "enP2p1s0f0np0"},
                        {"adapter 48:b0:2d:00:00:05 path", "0002:01:00.0"},
                        {"adapter 48:b0:2d:00:00:05 driver", "mlx5_core"}});
    CHECK(state(tree, {{"interface", "enp1s0f0np0"}, {"path", "0002:01:00.0"}}).cause() == "link.other-adapter");
    CHECK(state(tree, {{"interface", "enp1s0f0"}, {"path", "0002:01:00.0"}}).verdict["values"]["found"] == "enP2p1s0f0np0");
    CHECK_THAT(state(tree, {{"interface", "enp1s0f0np"}}).reason(), ContainsSubstring("did you mean 'enp1s0f0np0'"));
}

TEST_CASE("switched off: carrier and speed are refused by the kernel, and neither is taken for a value") {
    Tree tree;
    const std::string own = nic(tree, "eno1", "pci0000:00/0000:04:00.0", {{"flags", "0x1002"}, {"operstate", "down"}}, "igc");
    std::filesystem::remove(tree.root() / (own + "/carrier").substr(1));
    tree.refused(own + "/carrier");
    tree.refused(own + "/speed");
    CHECK(state(tree, {{"interface", "eno1"}, {"speed", gbit}}).cause() == "link.down");
}

TEST_CASE("an MTU that a tree does not hold is not zero") {
    Tree tree;
    const std::string own = nic(tree, "eno1", "pci0000:00/0000:04:00.0", {{"speed", "1000"}, {"mtu", "9000"}}, "igc");
    CHECK_THAT(state(tree, {{"interface", "eno1"}}).reason(), ContainsSubstring("MTU 9000"));
    std::filesystem::remove(tree.root() / (own + "/mtu").substr(1));
    const auto answer = state(tree, {{"interface", "eno1"}});
    CHECK_THAT(answer.reason(), ContainsSubstring("MTU not told"));
    for (const auto& event : answer.events) CHECK(event.value("name", "") != "mtu");
}

TEST_CASE("without a cable the speed file still says 10000") {
    Tree tree;
    nic(tree, "eno1", "pci0000:00/0000:04:00.0", {{"operstate", "down"}, {"carrier", "0"}, {"speed", "10000"}}, "igc");
    CHECK(state(tree, {{"interface", "eno1"}, {"speed", 10 * gbit}}).cause() == "link.no-carrier");
    // A second port with a cable: whether it is configured is not known from a tree, so it is not accused.
    nic(tree, "eno2", "pci0000:00/0000:05:00.0", {{"speed", "10000"}}, "igc");
    CHECK(state(tree, {{"interface", "eno1"}, {"speed", 10 * gbit}}).cause() == "link.no-carrier");
    CHECK(state(tree, {{"interface", "eno2"}, {"speed", 10 * gbit}}).outcome() == "pass");
}

TEST_CASE("a bond of two, one of them without its cable, and the members' permanent MACs behind the shared one") {
    Tree tree;
    const std::string bond = tree.interface("bond0", "", {{"uevent", "DEVTYPE=bond"}, {"bonding/mode", "802.3ad 4"}, {"speed", "50000"}});
    for (const std::string n : {"1", "2"}) {
        const std::string own =
            nic(tree, "eno" + n, "pci0000:00/0000:0" + n + ":00.0",
                {{"speed", "25000"}, {"address", "02:00:00:00:00:01"}, {"bonding_slave/perm_hwaddr", "48:b0:2d:00:00:0" + n}});
        tree.link(own + "/master", "../../../../virtual/net/bond0");
    }
    CHECK(state(tree, {{"interface", "bond0"}, {"speed", 50 * gbit}}).outcome() == "pass");
    CHECK(state(tree, {{"interface", "eno2"}, {"mac", "48:b0:2d:00:00:02"}}).outcome() == "pass");
    CHECK(state(tree, {{"interface", "eno2"}, {"mac", "48:b0:2d:00:00:01"}}).cause() == "link.other-adapter");
    tree.file("/sys/class/net/eno2/carrier", "0");
    CHECK(state(tree, {{"interface", "bond0"}, {"speed", 50 * gbit}}).outcome() == "fail");
    CHECK(state(tree, {{"interface", "bond0"}, {"speed", 50 * gbit}}).cause() == "link.member-down");
    CHECK(state(tree, {{"interface", "bond0"}}).cause() == "link.member-down");
}

TEST_CASE("virtio, USB and wireless: only the cable has a speed to judge") {
    Tree tree;
    tree.device("pci0000:00/0000:00:03.0/virtio2", "virtio", "virtio_net");
    tree.interface("eth0", "pci0000:00/0000:00:03.0/virtio2", {{"speed", "-1"}, {"duplex", "unknown"}});
    tree.device("pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0", "usb", "r8152");
    tree.interface("enx1", "pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0", {{"speed", "100"}, {"duplex", "half"}});
    tree.refused(nic(tree, "wlp2s0", "pci0000:00/0000:02:00.0", {{"uevent", "DEVTYPE=wlan"}}, "iwlwifi") + "/speed");
    CHECK(state(tree, {{"interface", "eth0"}, {"speed", gbit}}).outcome() == "skip");
    CHECK(state(tree, {{"interface", "wlp2s0"}, {"speed", gbit}}).outcome() == "skip");
    for (const char* name : {"eth0", "wlp2s0"}) CHECK(state(tree, {{"interface", name}}).outcome() == "pass");
    CHECK(state(tree, {{"interface", "enx1"}, {"speed", gbit}}).cause() == "link.half-duplex");
    tree.file("/sys/class/net/enx1/duplex", "full");
    CHECK(state(tree, {{"interface", "enx1"}, {"speed", gbit}}).cause() == "link.slower");
}

TEST_CASE("routes cannot be told from a captured tree, and that is said instead of a verdict") {
    Tree tree;
    nic(tree, "eno1", "pci0000:00/0000:04:00.0", {}, "igc");
    const auto answer = diag::testing::ask(*diag_plugin_v1(), "routes", {{"interface", "eno1"}}, tree.text());
    CHECK(answer.outcome() == "not_run");
    CHECK_THAT(answer.reason(), ContainsSubstring("cannot be known"));
}

}  // namespace state_tree_test
