// link.pcie on captured trees: machines in the shapes that field reports have.
#include <diag/testing.hpp>

#include "catch.hpp"
#include "probe/testing_tree.hpp"

namespace pcie_judge_test {

extern "C" const diag_abi* diag_plugin_v1();

using diag::json;
using diag::probe::testing::Tree;
using diag::testing::Answer;

namespace {

constexpr std::int64_t gbit = 1'000'000'000;

Answer pcie(const Tree& tree, const std::string& interface, json params = json::object()) {
    params["interface"] = interface;
    return diag::testing::ask(*diag_plugin_v1(), "pcie", std::move(params), tree.text());
}

// A PCI function: "32 x4" now and at most.
void step(Tree& tree, const std::string& folder, const std::string& now, const std::string& most) {
    for (const auto& [which, text] : {std::pair("current", now), std::pair("max", most)}) {
        tree.file("/sys/devices/" + folder + "/" + which + "_link_speed", text.substr(0, text.find(' ')) + " GT/s PCIe");
        tree.file("/sys/devices/" + folder + "/" + which + "_link_width", text.substr(text.find('x') + 1));
    }
}

void nic(Tree& tree, const std::string& name, const std::string& folder, Tree::Files files, const std::string& bus = "pci") {
    tree.device(folder, bus, "mlx5_core");
    tree.interface(name, folder, std::move(files));
}

// One card behind one root port.
void card(Tree& tree, const std::string& slot, const std::string& slot_most, const std::string& device_most, const std::string& speed) {
    const std::string port = "pci0000:00/0000:00:01.0", device = port + "/0000:01:00.0";
    step(tree, port, slot, slot_most);
    step(tree, device, slot, device_most);
    nic(tree, "eth0", device, {{"speed", speed}});
}

}  // namespace

TEST_CASE("one port of 200 Gbit/s behind two functions with four lanes each; neither is blamed, and that they share it is said") {
    Tree tree;
    for (const auto& [name, domain, index] : {std::tuple("enp1s0f0np0", "0000", "1"), std::tuple("enP2p1s0f0np0", "0002", "2")}) {
        const std::string d = domain, port = "pci" + d + ":00/" + d + ":00:00.0", device = port + "/" + d + ":01:00.0";
        step(tree, port, "32 x4", "32 x4");
        step(tree, device, "32 x4", "32 x16");
        nic(tree, name, device, {{"speed", "200000"}, {"phys_port_name", "p0"}, {"phys_switch_id", "7c8c09000a1b"}});
    }
    const auto answer = pcie(tree, "enP2p1s0f0np0", {{"speed", 200 * gbit}});
    INFO(answer.reason());
    CHECK(answer.outcome() == "pass");
    CHECK_THAT(answer.reason(), ContainsSubstring("carries 126 Gbit/s; 252.1 Gbit/s with the other function of its port"));
    CHECK_THAT(answer.reason(), ContainsSubstring("could do 32 GT/s x16, what is above it could not"));
    CHECK(answer.measured("lanes") == 4);
    CHECK(answer.measured("transfers") == 32);
    // The same function with a port of its own is a ceiling.
    tree.file("/sys/class/net/enp1s0f0np0/phys_port_name", "p1");
    const auto alone = pcie(tree, "enP2p1s0f0np0", {{"speed", 200 * gbit}});
    CHECK(alone.cause() == "link.pcie-ceiling");
    CHECK(alone.outcome() == "warn");
    CHECK(alone.verdict["values"]["function"] == "0002:01:00.0");
    // And with what it is known to deliver, it is enough.
    CHECK(pcie(tree, "enP2p1s0f0np0", {{"speed", 200 * gbit}, {"expect", 92 * gbit}}).outcome() == "pass");
}

TEST_CASE("the slot is the limit: enough for the link it is no fault, and below it the hop above the card is named") {
    Tree tree;
    card(tree, "32 x2", "32 x2", "32 x4", "25000");
    CHECK(pcie(tree, "eth0").outcome() == "pass");
    Tree slow;
    card(slow, "8 x8", "8 x8", "16 x16", "200000");
    const auto answer = pcie(slow, "eth0");
    CHECK(answer.cause() == "link.pcie-ceiling");
    CHECK_THAT(answer.reason(), ContainsSubstring("carries 63.02 Gbit/s to eth0, by 8 GT/s x8"));
    CHECK_THAT(answer.reason(), ContainsSubstring("could do 16 GT/s x16"));
}

TEST_CASE("fewer lanes, or slower ones, than both sides could: a fault where the link needs them, a warning where it does not") {
    Tree narrow;
    card(narrow, "16 x4", "16 x16", "16 x16", "100000");
    const auto answer = pcie(narrow, "eth0");
    CHECK(answer.cause() == "link.pcie-narrow");
    CHECK(answer.outcome() == "fail");
    CHECK_THAT(answer.reason(), ContainsSubstring("0000:00:01.0 above it could (16 GT/s x16)"));
    CHECK(pcie(narrow, "eth0", {{"speed", 25 * gbit}}).outcome() == "warn");
    Tree slow;
    card(slow, "2.5 x8", "16 x8", "8 x8", "25000");
    CHECK(pcie(slow, "eth0").cause() == "link.pcie-slow");
    CHECK(pcie(slow, "eth0").outcome() == "fail");
    Tree whole;
    card(whole, "8 x8", "16 x8", "8 x8", "25000");
    CHECK(pcie(whole, "eth0").outcome() == "pass");
}

TEST_CASE("what is planned of lanes and transfers is asked for, whatever the link needs") {
    Tree tree;
    card(tree, "16 x8", "16 x8", "16 x16", "25000");
    CHECK(pcie(tree, "eth0", {{"width", 8}, {"transfers", 16}}).outcome() == "pass");
    CHECK(pcie(tree, "eth0", {{"width", 16}}).cause() == "link.pcie-narrow");
    CHECK(pcie(tree, "eth0", {{"transfers", 32}}).cause() == "link.pcie-slow");
    CHECK(pcie(tree, "eth0", {{"width", 16}}).outcome() == "fail");
}

TEST_CASE("a switch on the way: its inside is no link, and a slow hop above it is the ceiling and has its own name") {
    Tree tree;
    const std::string root = "pci0000:00/0000:00:01.0", up = root + "/0000:01:00.0", down = up + "/0000:02:00.0",
                      device = down + "/0000:03:00.0";
    step(tree, root, "16 x8", "16 x8");
    step(tree, up, "16 x8", "16 x16");
    step(tree, down, "16 x8", "16 x16");
    step(tree, device, "16 x8", "16 x8");
    nic(tree, "eth0", device, {{"speed", "100000"}});
    CHECK(pcie(tree, "eth0").outcome() == "pass");  // up and down could both have 16, and no link is between them
    step(tree, root, "16 x2", "16 x8");
    step(tree, up, "16 x2", "16 x16");
    const auto answer = pcie(tree, "eth0");
    CHECK(answer.cause() == "link.pcie-narrow");
    CHECK(answer.verdict["values"]["function"] == "0000:01:00.0");
}

TEST_CASE("two ports of one card share its lanes: each has enough, and that it shares them is said; in a bond they have not") {
    Tree tree;
    const std::string port = "pci0000:00/0000:00:01.0";
    step(tree, port, "8 x16", "8 x16");
    const std::string bond = tree.interface("bond0", "", {{"uevent", "DEVTYPE=bond"}, {"speed", "200000"}});
    for (const std::string n : {"0", "1"}) {
        const std::string device = port + "/0000:01:00." + n;
        step(tree, device, "8 x16", "8 x16");
        nic(tree, "ens1f" + n, device, {{"speed", "100000"}, {"phys_port_name", "p" + n}});
        tree.link("/sys/devices/" + device + "/net/ens1f" + n + "/master", "../../../../../virtual/net/bond0");
    }
    const auto one = pcie(tree, "ens1f0");
    CHECK(one.outcome() == "pass");
    CHECK_THAT(one.reason(), ContainsSubstring("shares that link with ens1f1"));
    const auto both = pcie(tree, "bond0");
    INFO(both.reason());
    CHECK(both.cause() == "link.pcie-ceiling");
    CHECK_THAT(both.reason(), ContainsSubstring("carries 126 Gbit/s to bond0"));
    CHECK(pcie(tree, "bond0", {{"speed", 100 * gbit}}).outcome() == "pass");
}

TEST_CASE("what is not on PCI Express, or does not say, is skipped with the reason, and a name that is not here is absent") {
    Tree tree;
    tree.interface("veth0", "", {});
    tree.interface("lo", "", {{"flags", "0x9"}});
    nic(tree, "mgbe0_0", "platform/a808a10000.ethernet", {{"speed", "25000"}}, "platform");
    nic(tree, "eth0", "pci0000:00/0000:00:03.0/virtio2", {{"speed", "-1"}}, "virtio");
    nic(tree, "eno1", "pci0000:00/0000:00:1f.6", {{"speed", "1000"}});
    const auto skipped = [&](const std::string& name, const std::string& words) {
        const auto answer = pcie(tree, name, {{"speed", 25 * gbit}});
        CHECK(answer.outcome() == "skip");
        CHECK_THAT(answer.reason(), ContainsSubstring(words));
    };
    skipped("veth0", "no PCI Express: it is a virtual interface");
    skipped("lo", "loopback");
    skipped("mgbe0_0", "is on platform, not on PCI Express");
    skipped("eth0", "is on virtio, not on PCI Express");
    skipped("eno1", "does not say how its PCI Express link runs");
    CHECK(pcie(tree, "eth7").cause() == "link.absent");
}

TEST_CASE("a bond of which one adapter does not say how it is connected is not passed where a speed is asked of it") {
    Tree tree;
    tree.interface("bond0", "", {{"uevent", "DEVTYPE=bond"}});
    for (const auto& [name, function, bus] :
         {std::tuple("eth0", "0000:01:00.0", "pci"), std::tuple("eth1", "0000:02:00.0", "pci"), std::tuple("usb0", "usb1", "usb")}) {
        const std::string folder = "pci0000:00/" + std::string(function);
        if (std::string(bus) == "pci") step(tree, folder, "8 x4", "8 x4");
        tree.device(folder, bus, "driver");
        tree.link(tree.interface(name, folder, {{"speed", "10000"}}) + "/master", "../../../../virtual/net/bond0");
    }
    const auto answer = pcie(tree, "bond0", {{"speed", 30 * gbit}});
    CHECK(answer.outcome() == "skip");
    CHECK_THAT(answer.reason(), ContainsSubstring("2 of the 3 adapters below bond0 say how PCI Express connects them"));
    CHECK(pcie(tree, "bond0").outcome() == "pass");  // nothing was asked of it
    std::filesystem::remove(tree.root() / "sys/devices/pci0000:00/usb1/net/usb0/master");
    CHECK(pcie(tree, "bond0", {{"speed", 20 * gbit}}).outcome() == "pass");
}

TEST_CASE("without carrier or speed only the links themselves are judged") {
    Tree tree;
    card(tree, "8 x1", "8 x1", "8 x1", "-1");
    CHECK(pcie(tree, "eth0").outcome() == "pass");
    CHECK_THAT(pcie(tree, "eth0").reason(), ContainsSubstring("the link's speed is not known"));
    CHECK(pcie(tree, "eth0", {{"speed", 25 * gbit}}).cause() == "link.pcie-ceiling");
}

}  // namespace pcie_judge_test
