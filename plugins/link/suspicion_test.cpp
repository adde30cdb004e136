#include "suspicion.hpp"

#include "catch.hpp"
#include "fake_world.hpp"
#include "owner.hpp"

namespace suspicion_test {

using namespace diag;
using namespace diag::link;
using Files = probe::testing::Tree::Files;

static std::vector<std::string> causes(FakeWorld& world) {
    std::vector<std::string> all;
    for (const auto& suspicion : suspicions(Machine(world), world)) all.push_back(suspicion.cause);
    return all;
}

static const std::vector<std::string> nothing;

// A PCI function with its link and that of the bridge above: "speed width", now and at most.
struct Lanes {
    std::string now, most;
};

static void lanes(probe::testing::Tree& tree, const std::string& folder, const Lanes& link) {
    for (const auto& [which, text] : {std::pair("current", link.now), std::pair("max", link.most)}) {
        tree.file("/sys/devices/" + folder + "/" + which + "_link_speed", text.substr(0, text.find(' ')) + " GT/s PCIe");
        tree.file("/sys/devices/" + folder + "/" + which + "_link_width", text.substr(text.find(' ') + 1));
    }
}

// `domain` tells the functions apart; the interface must be known to the fake kernel.
static void function(FakeWorld& world, const std::string& name, const std::string& domain, const Lanes& device, const Lanes& bridge,
                     Files files) {
    files["ifindex"] = std::to_string(world.at_name(name).index);
    const std::string above = "pci" + domain + ":00/" + domain + ":00:00.0", own = above + "/" + domain + ":01:00.0";
    world.tree.interface(name, own, files);
    world.tree.device(own, "pci", "mlx5_core");
    lanes(world.tree, above, bridge);
    lanes(world.tree, own, device);
}

TEST_CASE("a machine whose interfaces are in different prefixes raises no suspicion") {
    FakeWorld world;
    CHECK(causes(world) == nothing);
}

TEST_CASE("two interfaces in one prefix are named once, unless rules by source keep them apart") {
    FakeWorld world;
    world.add("second", 4);
    world.has(4, "10.10.0.77", 24);
    CHECK(causes(world) == std::vector<std::string>{"link.same-prefix"});
    world.forced_from = {{"10.10.0.1", "wire"}, {"10.10.0.77", "second"}};
    CHECK(causes(world) == nothing);
    world.forced_from.clear();
    world.sysctl("second", "1");  // strict, on the one by which the way back does not lead
    CHECK(causes(world) == std::vector<std::string>{"link.same-prefix", "link.rp-filter"});
    world.sysctl("all", "2");
    CHECK(causes(world) == std::vector<std::string>{"link.same-prefix"});
    FakeWorld healthy;
    healthy.sysctl("all", "1");
    CHECK(causes(healthy) == nothing);
}

TEST_CASE("a bridge for containers in the prefix of a link is named as one, and alone") {
    FakeWorld world;
    world.add("docker0", 4, "bridge");
    world.has(4, "172.17.0.1", 16);
    CHECK(causes(world) == nothing);
    world.has(4, "10.10.0.1", 24);
    CHECK(causes(world) == std::vector<std::string>{"link.container-bridge"});
}

TEST_CASE("a configured interface without a cable is suspicious only beside one that has the cable and no configuration") {
    FakeWorld world;
    world.at_name("wire").carrier = false;
    CHECK(causes(world) == nothing);
    world.add("spare", 4);
    CHECK(causes(world) == std::vector<std::string>{"link.carrier-elsewhere"});
    world.has(4, "10.20.0.1", 24);
    CHECK(causes(world) == nothing);
    FakeWorld unplanned;  // two spare ports, one with a cable
    unplanned.add("one", 4).carrier = false;
    unplanned.add("two", 5);
    CHECK(causes(unplanned) == nothing);
    unplanned.tree.interface("one", "pci0000:00/0000:07:00.0", {{"ifindex", "4"}, {"carrier", "0"}});
    unplanned.tree.file("/run/systemd/netif/links/4", "ADMIN_STATE=configuring\nNETWORK_FILE=/run/systemd/network/10-netplan-one.network");
    CHECK(causes(unplanned) == std::vector<std::string>{"link.carrier-elsewhere"});
}

TEST_CASE("half duplex is suspicious with carrier, and stale without") {
    FakeWorld world;
    world.tree.interface("wire", "pci0000:00/0000:03:00.0", {{"ifindex", "3"}, {"duplex", "half"}});
    CHECK(causes(world) == std::vector<std::string>{"link.half-duplex"});
    world.at_name("wire").carrier = false;
    CHECK(causes(world) == nothing);
}

TEST_CASE("an adapter that could have more lanes is named with what is above it; a full link, USB4 and a silent one are not") {
    FakeWorld world;
    function(world, "wire", "0000", {"32 2", "32 4"}, {"32 2", "32 2"}, {{"speed", "1000"}});
    const auto found = suspicions(Machine(world), world);
    REQUIRE(found.size() == 1);
    CHECK(found[0].cause == "link.pcie-narrow");
    CHECK_THAT(found[0].reason,
               ContainsSubstring("runs at 32 GT/s x2, and could do 32 GT/s x4; 0000:00:00.0 above it does no more than 32 GT/s x2"));
    FakeWorld badly_seated;
    function(badly_seated, "wire", "0000", {"8 8", "16 16"}, {"8 8", "16 16"}, {{"speed", "1000"}});
    CHECK_THAT(suspicions(Machine(badly_seated), badly_seated).at(0).reason, ContainsSubstring("above it could do 16 GT/s x16"));
    FakeWorld slow;
    function(slow, "wire", "0000", {"8 16", "16 16"}, {"8 16", "16 16"}, {{"speed", "100000"}});
    CHECK(causes(slow) == std::vector<std::string>{"link.pcie-slow"});
    FakeWorld older_slot;  // as fast as its slot is, and enough
    function(older_slot, "wire", "0000", {"8 16", "16 16"}, {"8 16", "8 16"}, {{"speed", "100000"}});
    CHECK(causes(older_slot) == nothing);
    FakeWorld usb4;
    function(usb4, "wire", "0000", {"2.5 1", "8 4"}, {"2.5 1", "2.5 1"}, {{"speed", "10000"}});
    CHECK(causes(usb4) == nothing);
    FakeWorld full;
    function(full, "wire", "0000", {"16 16", "16 16"}, {"16 16", "16 16"}, {{"speed", "200000"}});
    CHECK(causes(full) == nothing);
    FakeWorld silent;
    silent.tree.interface("wire", "pci0000:00/0000:03:00.0", {{"ifindex", "3"}, {"speed", "200000"}});
    silent.tree.device("pci0000:00/0000:03:00.0", "pci", "mlx5_core");
    CHECK(causes(silent) == nothing);
}

TEST_CASE("a slot below the port's speed is a ceiling; two functions of one port carry it together") {
    const Lanes x4{"32 4", "32 4"};
    const Files p0{{"speed", "200000"}, {"phys_port_name", "p0"}, {"phys_switch_id", "7c8c0900"}};
    FakeWorld world;
    function(world, "eth0", "0000", x4, x4, p0);
    CHECK(causes(world) == std::vector<std::string>{"link.pcie-ceiling"});
    function(world, "wire", "0002", x4, x4, p0);
    CHECK(causes(world) == nothing);
    CHECK(port_key(Machine(world).find("eth0")) == port_key(Machine(world).find("wire")));
    FakeWorld two_ports;
    Files p1 = p0;
    p1["phys_port_name"] = "p1";
    function(two_ports, "eth0", "0000", x4, x4, p0);
    function(two_ports, "wire", "0002", x4, x4, p1);
    CHECK(causes(two_ports) == std::vector<std::string>{"link.pcie-ceiling", "link.pcie-ceiling"});
    two_ports.at_name("wire").carrier = false;  // its speed is stale
    CHECK(causes(two_ports).size() == 1);
}

TEST_CASE("who configures an interface is read from run state, and nobody is nobody") {
    probe::testing::Tree tree;
    probe::Interface eth0;
    eth0.index = 2;
    eth0.name = "eth0";
    const auto owner = [&] { return owner_of(tree.root(), eth0); };
    CHECK(owner().empty());
    tree.file("/run/systemd/netif/links/2", "ADMIN_STATE=unmanaged\nOPER_STATE=routable");
    tree.file("/run/NetworkManager/devices/2", "[device]\nmanaged=unmanaged");
    CHECK(owner().empty());
    tree.file("/run/systemd/netif/links/2", "ADMIN_STATE=configured\nNETWORK_FILE=/etc/systemd/network/20-wired.network");
    CHECK(owner() == "networkd");
    tree.file("/run/systemd/netif/links/2", "NETWORK_FILE=/run/systemd/network/10-netplan-eth0.network");
    CHECK(owner() == "netplan (networkd)");
    tree.file("/run/NetworkManager/devices/2", "[device]\nmanaged=full\nconnection-uuid=2b0f");
    CHECK(owner() == "netplan (networkd) + NetworkManager");
    std::filesystem::remove_all(tree.root() / "run/systemd");
    tree.file("/run/NetworkManager/system-connections/netplan-eth0.nmconnection", "[connection]");
    CHECK(owner() == "netplan (NetworkManager)");
    std::filesystem::remove_all(tree.root() / "run/NetworkManager");
    tree.file("/run/network/ifstate", "lo=lo\neth0=eth0");
    CHECK(owner() == "ifupdown");
}

}  // namespace suspicion_test
