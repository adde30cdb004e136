#include "suspicion.hpp"

#include "catch.hpp"
#include "fake_world.hpp"
#include "owner.hpp"
#include "pcie_links.hpp"

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

TEST_CASE("each prefix is named once with all that are in it, and one that is shared without harm hides no other") {
    FakeWorld world;
    world.add("apart", 4);
    world.add("crossing", 5);
    world.has(4, "10.10.0.77", 24);
    world.has(3, "10.2.0.1", 24);
    world.has(5, "10.2.0.3", 24);
    world.forced_from = {{"10.10.0.1", "wire"}, {"10.10.0.77", "apart"}};
    const auto hidden = suspicions(Machine(world), world);
    REQUIRE(hidden.size() == 1);
    CHECK(hidden[0].reason == "wire and crossing are both in 10.2.0.0/24: traffic for either leaves by one of them");
    FakeWorld spark;
    for (unsigned i = 4; i < 8; ++i) {
        spark.add("port" + std::to_string(i), i);
        spark.has(i, "169.254.0." + std::to_string(i), 16);
    }
    const auto found = suspicions(Machine(spark), spark);
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0].reason, ContainsSubstring("port4, port5, port6 and port7 are all in 169.254.0.0/16"));
    CHECK((found[0].values["interface"] == "port4" && found[0].values["other"] == "port5, port6 and port7"));
}

TEST_CASE("an address in a narrower prefix of another interface is suspicious, a narrower prefix elsewhere is not") {
    FakeWorld world;
    world.add("second", 4);
    world.has(4, "10.10.0.129", 25);
    CHECK(causes(world) == nothing);
    world.own.back() = {4, at("10.10.0.2"), 25};
    CHECK(causes(world) == std::vector<std::string>{"link.same-prefix"});
}

// Wraps a world and counts what it is asked.
struct CountingWorld : FakeWorld {
    std::size_t routes = 0;
    std::optional<probe::Route> route(const probe::Address& destination, const std::optional<probe::Address>& source) override {
        ++routes;
        return FakeWorld::route(destination, source);
    }
};

TEST_CASE("what is asked of the kernel grows with the interfaces, and not with their pairs") {
    CountingWorld world;
    constexpr unsigned many = 100;
    for (unsigned i = 0; i < many; ++i) {
        world.add("port" + std::to_string(i), 10 + i);
        world.has(10 + i, "10.7.0." + std::to_string(i + 1), 24);
    }
    const auto found = suspicions(Machine(world), world);
    CHECK(world.routes <= many + 1);
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0].reason, ContainsSubstring("port11 and 88 more are all in 10.7.0.0/24"));
}

TEST_CASE("a bridge for containers does not hide that a link shares its prefix with another link") {
    FakeWorld world;
    world.add("docker0", 4, "bridge");
    world.has(4, "10.10.0.1", 16);
    world.add("second", 5);
    world.has(5, "10.10.0.77", 24);
    CHECK(causes(world) == std::vector<std::string>{"link.same-prefix", "link.container-bridge", "link.container-bridge"});
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

TEST_CASE("only what takes a cable can have it elsewhere: no bridge, and no veth beside hardware") {
    FakeWorld bridges;
    bridges.add("docker0", 4, "bridge").carrier = false;
    bridges.has(4, "172.17.0.1", 16);
    bridges.add("brvm", 5, "bridge");
    CHECK(causes(bridges) == nothing);
    FakeWorld calico;
    calico.add("cali0", 4, "veth").carrier = false;
    calico.has(4, "10.20.0.1", 32);
    calico.add("vethc", 5, "veth");
    CHECK(causes(calico) == nothing);
    std::erase_if(calico.links, [](const auto& link) { return link.kind.empty() && !link.loopback; });  // a container, or a lab
    CHECK(causes(calico) == std::vector<std::string>{"link.carrier-elsewhere"});
    calico.at_name("vethc").lower = 7;  // its other end is here
    CHECK(causes(calico) == nothing);
}

TEST_CASE("a bond of hardware takes a cable as hardware does, and a port that VLANs stand on is in use") {
    FakeWorld world;
    world.at_name("wire").kind = "bond";
    world.at_name("wire").carrier = false;
    world.add("spare", 4, "bond");
    CHECK(causes(world) == nothing);  // of nothing, both
    world.add("one", 5).master = 3;
    world.add("two", 6).master = 4;
    CHECK(causes(world) == std::vector<std::string>{"link.carrier-elsewhere"});
    FakeWorld trunk;
    trunk.at_name("wire").carrier = false;
    trunk.add("spare", 4);
    trunk.add("spare.5", 5, "vlan").lower = 4;
    trunk.has(5, "10.20.0.1", 24);
    CHECK(causes(trunk) == nothing);
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
    CHECK(owner().empty());
    tree.file("/run/network/ifstate", "lo=lo\neth0=eth0");
    CHECK(owner() == "ifupdown");
}

TEST_CASE("a connection that NetworkManager handed to netplan is netplan's, another interface's is not, and unread ones are unknown") {
    probe::testing::Tree tree;
    probe::Interface eth0;
    eth0.index = 2;
    eth0.name = "eth0";
    eth0.mac = "48:b0:2d:00:00:0a";
    const auto owner = [&] { return owner_of(tree.root(), eth0); };
    const std::string folder = "/run/NetworkManager/system-connections/", uuid = "2b0f16e4-0c5a-3b8d-9d3e-1f6d5a7c8e90";
    const auto alone = [&](const std::string& file, const std::string& text) {
        std::filesystem::remove_all(tree.root() / folder.substr(1));
        tree.file(folder + file, text);
    };
    tree.file("/run/NetworkManager/devices/2", "[device]\nmanaged=full\nconnection-uuid=" + uuid);
    CHECK(owner() == "NetworkManager");
    alone("netplan-NM-" + uuid + ".nmconnection", "[connection]\nid=wired\nuuid=" + uuid);
    CHECK(owner() == "netplan (NetworkManager)");
    alone("netplan-NM-9d3e16e4.nmconnection", "[connection]\nuuid=9d3e16e4");
    CHECK(owner() == "NetworkManager");
    alone("netplan-office.nmconnection", "[connection]\nid=netplan-office\ninterface-name=eth0");
    CHECK(owner() == "netplan (NetworkManager)");
    alone("netplan-office.nmconnection", "[connection]\nid=netplan-office\n[ethernet]\nmac-address=48:B0:2D:00:00:0A");
    CHECK(owner() == "netplan (NetworkManager)");
    alone("netplan-office.nmconnection", "[connection]\nid=netplan-office\ninterface-name=eth1");
    CHECK(owner() == "NetworkManager");
    alone("office.nmconnection", "[connection]\nuuid=" + uuid);  // NetworkManager's own
    CHECK(owner() == "NetworkManager");
    std::filesystem::remove_all(tree.root() / folder.substr(1));
    tree.refused(folder + "netplan-office.nmconnection");
    CHECK_THAT(owner(), ContainsSubstring("not readable"));
}

TEST_CASE("a bridge over two links is suspicious, unless a spanning tree shows that it is meant; containers' bridges are not") {
    FakeWorld world;
    world.add("br0", 4, "bridge");
    world.at_name("eth0").master = 4;
    CHECK(causes(world) == nothing);
    world.at_name("wire").master = 4;
    CHECK(causes(world) == std::vector<std::string>{"link.bridge-joins-links"});
    world.tree.interface("br0", "", {{"ifindex", "4"}, {"bridge/stp_state", "0"}});
    CHECK_THAT(suspicions(Machine(world), world).at(0).reason, ContainsSubstring("without a spanning tree"));
    world.tree.file("/sys/devices/virtual/net/br0/bridge/stp_state", "1");
    CHECK(causes(world) == nothing);
    FakeWorld containers;
    containers.add("docker0", 4, "bridge");
    for (unsigned i = 5; i < 8; ++i) containers.add("veth" + std::to_string(i), i, "veth").master = 4;
    CHECK(causes(containers) == nothing);
}

TEST_CASE("a bond is suspicious as its own check judges it, and one of which nothing is known is not") {
    FakeWorld world;
    world.add("bond0", 4, "bond");
    CHECK(causes(world) == nothing);
    world.tree.interface("bond0", "",
                         {{"ifindex", "4"}, {"bonding/mode", "802.3ad 4"}, {"bonding/miimon", "100"}, {"bonding/slaves", "wire"}});
    world.tree.interface("wire", "pci0000:00/0000:03:00.0", {{"ifindex", "3"}, {"bonding_slave/mii_status", "up"}});
    world.at_name("wire").master = 4;
    CHECK(causes(world) == nothing);
    world.tree.file("/sys/class/net/wire/bonding_slave/mii_status", "down");
    CHECK(causes(world) == std::vector<std::string>{"link.member-down"});
}

TEST_CASE("an interface that waits to be let in is suspicious, one that is up is not") {
    FakeWorld world;
    world.at_name("wire").operstate = "dormant";
    CHECK(causes(world) == std::vector<std::string>{"link.dormant"});
    world.at_name("wire").operstate = "up";
    CHECK(causes(world) == nothing);
}

TEST_CASE("ports of one name on two cards are two ports: each has its own lanes, and the functions of one device share") {
    const Lanes x8{"8 8", "8 8"};
    const Files p0{{"speed", "100000"}, {"phys_port_name", "p0"}};
    FakeWorld world;
    function(world, "eth0", "0000", x8, x8, p0);
    function(world, "wire", "0001", x8, x8, p0);
    CHECK(causes(world) == std::vector<std::string>{"link.pcie-ceiling", "link.pcie-ceiling"});
    const Machine machine(world);
    CHECK_FALSE(same_port(machine.find("eth0"), machine.find("wire")));
    FakeWorld one_device;
    for (const auto& [name, of] : {std::pair("eth0", "0"), std::pair("wire", "1")}) {
        Files files = p0;
        files["ifindex"] = std::to_string(one_device.at_name(name).index);
        one_device.tree.interface(name, std::string("pci0000:00/0000:01:00.") + of, files);
    }
    const Machine same(one_device);
    CHECK(same_port(same.find("eth0"), same.find("wire")));
}

}  // namespace suspicion_test
