#include "profile_files.hpp"

#include "catch.hpp"
#include "probe/testing_tree.hpp"

namespace profiles_test {

using namespace diag::link;
using diag::probe::testing::Tree;

namespace {

Seen port(const std::string& name, const std::string& mac = "") {
    Seen seen;
    seen.interface.name = name;
    seen.interface.permanent_mac = mac;
    return seen;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a keyfile is bound by its interface name or its MAC; for whatever comes, off, generated and wireless ones bind nothing") {
    const auto one =
        keyfile_profiles("[connection]\nid=fabric0\ntype=ethernet\ninterface-name=enp1s0f0np0\n\n[ipv4]\nmethod=manual\n", "/f");
    REQUIRE(one.size() == 1);
    CHECK(one[0].name == "fabric0");
    CHECK(one[0].bound_to(port("enp1s0f0np0")));
    CHECK_FALSE(one[0].fits(port("enp1s0f1np1")));
    const auto mac = keyfile_profiles("[connection]\nid=x\ntype=ethernet\n[ethernet]\nmac-address=48:B0:2D:00:00:01\n", "/f");
    CHECK(mac.at(0).bound_to(port("eth7", "48:b0:2d:00:00:01")));
    CHECK_FALSE(mac.at(0).fits(port("eth7", "48:b0:2d:00:00:02")));
    const auto any = keyfile_profiles("[connection]\nid=x\ntype=802-3-ethernet\n", "/f");
    CHECK(any.at(0).fits(port("eth0")));
    CHECK_FALSE(any.at(0).bound_to(port("eth0")));
    CHECK(keyfile_profiles("[connection]\nid=x\ntype=ethernet\nautoconnect=false\n", "/f").empty());
    CHECK(keyfile_profiles("[connection]\nid=Wired connection 1\ntype=ethernet\n[.nmmeta]\nnm-generated=true\n", "/f").empty());
    CHECK(keyfile_profiles("[connection]\nid=x\ntype=wifi\ninterface-name=wlan0\n", "/f").empty());
    CHECK(keyfile_profiles("not a keyfile", "/f").empty());
    const auto match = keyfile_profiles("[connection]\nid=x\ntype=ethernet\n[match]\ninterface-name=!eth0;en*;\n", "/f");
    CHECK(match.at(0).fits(port("eno1")));
    CHECK_FALSE(match.at(0).fits(port("eth0")));
}

TEST_CASE("a .network file: names, patterns, MACs; one for every wired port, and one that leaves its port alone") {
    const auto two = network_profiles("[Match]\nName=eno1 eno2\n[Network]\nDHCP=yes\n", "/etc/systemd/network/10-lan.network");
    CHECK(two.at(0).bound_to(port("eno2")));
    CHECK(two.at(0).name == "10-lan.network");
    const auto pattern = network_profiles("[Match]\nName=en*\nName=!eno3\n", "/f");
    CHECK(pattern.at(0).fits(port("eno1")));
    CHECK_FALSE(pattern.at(0).bound_to(port("eno1")));
    CHECK_FALSE(pattern.at(0).fits(port("eno3")));
    CHECK(network_profiles("[Match]\nPermanentMACAddress=48:B0:2D:00:00:01\n", "/f").at(0).bound_to(port("x", "48:b0:2d:00:00:01")));
    CHECK(network_profiles("[Match]\nType=ether\n", "/f").at(0).anything);
    CHECK(network_profiles("[Match]\nType=wlan\n", "/f").empty());
    CHECK(network_profiles("[Match]\nName=eno1\n[Link]\nUnmanaged=yes\n", "/f").empty());
}

TEST_CASE("netplan: the name of an entry, or what it matches; flow style is YAML as well, and no YAML is an error") {
    const auto found = netplan_profiles(
        "network:\n  version: 2\n  ethernets:\n    enp1s0f0np0:\n      addresses: [10.0.0.1/24]\n"
        "    lan:\n      match: {macaddress: '48:B0:2D:00:00:01'}\n      set-name: lan0\n"
        "    rest:\n      match: {name: 'en*'}\n    mlx:\n      match: {driver: mlx5_core}\n    off: {activation-mode: 'off'}\n",
        "/f");
    REQUIRE(found.size() == 4);
    CHECK(found[0].bound_to(port("enp1s0f0np0")));
    CHECK(found[1].bound_to(port("eth5", "48:b0:2d:00:00:01")));
    CHECK(found[1].bound_to(port("lan0")));
    CHECK(found[2].fits(port("eno1")));
    CHECK(found[3].fits(port("eno1")));
    CHECK(netplan_profiles("network: {ethernets: {eno1: }}", "/f").at(0).bound_to(port("eno1")));
    CHECK(netplan_profiles("network: {renderer: NetworkManager}", "/f").empty());
    CHECK(netplan_profiles("", "/f").empty());
    CHECK_THROWS(netplan_profiles("network: {", "/f"));
}

TEST_CASE("ifupdown: an interface that is started by itself, and none that waits to be asked") {
    const auto found =
        ifupdown_profiles("# c\nauto lo\niface lo inet loopback\nallow-hotplug eth0\niface eth0 inet dhcp\niface eth1 inet dhcp\n", "/f");
    REQUIRE(found.size() == 1);
    CHECK(found[0].name == "eth0");
}

TEST_CASE("files are found in all folders, a nearer one hides a farther, and what cannot be read is told") {
    Tree tree;
    CHECK(profiles(tree.root()).all.empty());
    tree.file("/etc/netplan/50-cloud-init.yaml", "network: {ethernets: {eno1: {dhcp4: true}}}");
    tree.file("/usr/lib/systemd/network/10-a.network", "[Match]\nName=eno2");
    tree.file("/etc/systemd/network/10-a.network", "[Match]\nName=eno3");
    tree.file("/etc/systemd/network/20-bond.netdev", "[NetDev]\nName=bond0");
    tree.file("/etc/NetworkManager/system-connections/lab.nmconnection", "[connection]\nid=lab\ntype=ethernet\ninterface-name=eno4");
    tree.file("/etc/NetworkManager/system-connections/.lab.swp", "[connection]\nid=old\ntype=ethernet\ninterface-name=eno9");
    tree.file("/etc/network/interfaces", "auto eno5\niface eno5 inet dhcp");
    tree.file("/etc/network/interfaces.d/lab", "auto eno6\niface eno6 inet dhcp");
    Words names;
    for (const auto& profile : profiles(tree.root()).all) names.push_back(profile.manager + " " + profile.interfaces.at(0));
    CHECK(names == Words{"netplan eno1", "NetworkManager eno4", "networkd eno3", "ifupdown eno6", "ifupdown eno5"});
    CHECK(profiles(tree.root()).unread.empty());
    tree.refused("/etc/netplan/60-more.yaml");
    tree.file("/etc/netplan/70-broken.yaml", "network: {");
    CHECK(profiles(tree.root()).unread.size() == 2);
}

}  // namespace profiles_test
