// Small trees in the shapes that real machines have.
#include "probe/port.hpp"

#include <diag/verdict.hpp>

#include "catch.hpp"
#include "probe/testing_tree.hpp"

using namespace diag;
using namespace diag::probe;
using testing::Tree;

TEST_CASE("two functions of one port are told by their port's name and switch, on two PCI domains") {
    Tree tree;
    const std::string first = "pci0000:00/0000:00:00.0/0000:01:00.0", second = "pci0002:00/0002:00:00.0/0002:01:00.0";
    for (const auto& [name, device] : {std::pair("enp1s0f0np0", first), std::pair("enP2p1s0f0np0", second)}) {
        tree.interface(name, device, {{"phys_port_name", "p0"}, {"phys_switch_id", "7c8c0900"}, {"speed", "200000"}, {"duplex", "full"}});
        tree.device(device, "pci", "mlx5_core");
        tree.file("/sys/devices/" + device + "/infiniband/mlx5_0/sys_image_guid", "7c8c:0903:0011:2233");
    }
    const Port one = port(tree.root(), "enp1s0f0np0"), two = port(tree.root(), "enP2p1s0f0np0");
    CHECK((one.pci == "0000:01:00.0" && two.pci == "0002:01:00.0"));
    CHECK(one.device == "/sys/devices/pci0000:00/0000:00:00.0/0000:01:00.0");
    CHECK((one.bus == "pci" && one.driver == "mlx5_core" && one.duplex == "full"));
    CHECK(one.speed.rate == Rate{200'000'000'000});
    CHECK((one.port_name == "p0" && two.port_name == "p0" && one.switch_id == two.switch_id && one.board == two.board));
    CHECK(one.board == "7c8c:0903:0011:2233");
    CHECK(port_names(tree.root()) == std::vector<std::string>{"enP2p1s0f0np0", "enp1s0f0np0"});
}

TEST_CASE("a speed that is not known is told from one that is refused, one that is missing, and one that is none") {
    Tree tree;
    for (const std::string word : {"-1", "0", "65535", "4294967295", "fast"})
        tree.interface("e" + word, "pci0000:00/" + word, {{"speed", word}});
    for (const std::string word : {"-1", "0", "65535", "4294967295"}) {
        const Speed speed = port(tree.root(), "e" + word).speed;
        CHECK_FALSE(speed.rate);
        CHECK(speed.unknown == "the driver says " + word);
    }
    CHECK_THAT(port(tree.root(), "efast").speed.unknown, ContainsSubstring("'fast'"));
    for (const std::string word : {"9223372036854775", "2147483648", "-5"}) {  // nothing that the kernel prints
        tree.interface("e" + word, "pci0000:00/" + word, {{"speed", word}});
        CHECK_THAT(port(tree.root(), "e" + word).speed.unknown, ContainsSubstring("'" + word + "'"));
    }
    tree.interface("plain", "pci0000:00/0000:00:04.0", {});
    CHECK(port(tree.root(), "plain").speed.unknown == "the kernel has no speed for it");
    tree.refused(tree.interface("down", "pci0000:00/0000:00:05.0", {{"flags", "0x1002"}}) + "/speed");  // EINVAL while switched off
    CHECK_THAT(port(tree.root(), "down").speed.unknown, ContainsSubstring("refuses"));
    tree.interface("slow", "pci0000:00/0000:00:06.0", {{"speed", "2500"}});
    CHECK(port(tree.root(), "slow").speed.rate == Rate{2'500'000'000});
}

TEST_CASE("virtio, USB, wireless and a bond's member show what they are; a virtual interface has no device") {
    Tree tree;
    tree.interface("eth0", "pci0000:00/0000:00:03.0/virtio2", {{"speed", "-1"}, {"duplex", "unknown"}});
    tree.device("pci0000:00/0000:00:03.0/virtio2", "virtio", "virtio_net");
    tree.interface("enx1", "pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0", {{"speed", "1000"}});
    tree.device("pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0", "usb", "r8152");
    tree.refused(tree.interface("wlp2s0", "pci0000:00/0000:02:00.0", {{"uevent", "DEVTYPE=wlan\nINTERFACE=wlp2s0"}}) + "/speed");
    tree.file(tree.interface("eno1", "pci0000:00/0000:04:00.0", {}) + "/bonding_slave/perm_hwaddr", "48:b0:2d:00:00:01");
    tree.refused(tree.interface("bond0", "", {{"uevent", "DEVTYPE=bond\nINTERFACE=bond0"}}) + "/phys_port_name");
    tree.file("/sys/class/net/bonding_masters", "bond0");
    const Port virtio = port(tree.root(), "eth0");
    CHECK((virtio.bus == "virtio" && virtio.pci == "0000:00:03.0" && virtio.driver == "virtio_net"));
    const Port usb = port(tree.root(), "enx1");
    CHECK((usb.bus == "usb" && usb.pci == "0000:00:14.0"));
    CHECK(port(tree.root(), "wlp2s0").type == "wlan");
    CHECK(port(tree.root(), "eno1").bond_member == "48:b0:2d:00:00:01");
    const Port bond = port(tree.root(), "bond0");
    CHECK((bond.type == "bond" && bond.device.empty() && bond.pci.empty() && bond.port_name.empty()));
    CHECK(port_names(tree.root()).size() == 5);
}

TEST_CASE("an interface that is not there is absent, whatever its name looks like") {
    Tree tree;
    for (const auto* name : {"eth0", "", ".", "..", "../net", "a/b"}) CHECK_THROWS_AS(port(tree.root(), name), Absent);
}

TEST_CASE("the loopback interface of this machine has no device, and its speed is refused") {
    const Port lo = port("", "lo");
    CHECK(lo.device.empty());
    CHECK_FALSE(lo.speed.rate);
}
