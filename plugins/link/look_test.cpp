// The look on captured trees, and on this machine.
#include <map>

#include <diag/testing.hpp>

#include "catch.hpp"
#include "probe/testing_tree.hpp"

namespace look_test {

extern "C" const diag_abi* diag_plugin_v1();

using diag::json;
using diag::probe::testing::Tree;
using diag::testing::Answer;

// Interface -> property -> text, in the order of the answer's rows.
static std::vector<std::pair<std::string, json>> rows(const Answer& answer, const std::string& kind = "interface") {
    std::vector<std::pair<std::string, json>> all;
    for (const auto& event : answer.events) {
        if (event["event"] != "see" || event["kind"] != kind) continue;
        json texts;
        for (const auto& p : event["properties"])
            if (p["text"] != "") texts[p["name"].get<std::string>()] = p["text"];
        all.emplace_back(event["name"], texts);
    }
    return all;
}

static Answer look(const std::string& root) { return diag::testing::ask(*diag_plugin_v1(), "look", json::object(), root); }

TEST_CASE("functions of one port stand together, whatever PCI domain they are on, and members know their bridge") {
    Tree tree;
    const std::string first = "pci0000:00/0000:01:00.0", other = "pci0001:00/0001:01:00.0", second = "pci0002:00/0002:01:00.0";
    for (const auto& [name, device, port] :
         {std::tuple("enp1s0f0np0", first, "p0"), std::tuple("enP1p1s0f1np1", other, "p1"), std::tuple("enP2p1s0f0np0", second, "p0")}) {
        tree.device(device, "pci", "mlx5_core");
        tree.interface(name, device, {{"speed", "200000"}, {"phys_port_name", port}, {"phys_switch_id", "7c8c0900"}});
    }
    tree.device("pci0007:00/0007:01:00.0", "pci", "r8127");
    const std::string member = tree.interface("enP7s7", "pci0007:00/0007:01:00.0", {{"speed", "2500"}, {"duplex", "half"}});
    tree.interface("br0", "", {{"uevent", "DEVTYPE=bridge"}});
    tree.link(member + "/master", "../../../../virtual/net/br0");
    tree.interface("lo", "", {{"flags", "0x9"}});
    tree.interface("veth1", "", {});
    const Answer answer = look(tree.text());
    const auto seen = rows(answer);
    REQUIRE(seen.size() == 5);
    CHECK((seen[0].first == "enP2p1s0f0np0" && seen[1].first == "enp1s0f0np0" && seen[2].first == "enP1p1s0f1np1"));
    CHECK(seen[0].second ==
          json{{"port", "p0 (1 of 2)"}, {"carrier", "up"}, {"speed", "200G"}, {"mtu", "1500"}, {"mac", "02:00:00:00:00:03"}});
    CHECK(rows(answer, "adapter").at(0).second == json{{"driver", "mlx5_core"}, {"path", "0002:01:00.0"}});
    CHECK(seen[2].second["port"] == "p1");
    CHECK((seen[3].first == "enP7s7" && seen[3].second["joined"] == "in br0" && seen[3].second["speed"] == "2.5G half"));
    CHECK((seen[4].first == "br0" && seen[4].second["kind"] == "bridge" && seen[4].second["joined"] == "of enP7s7" &&
           !seen[4].second.contains("speed")));
    REQUIRE(answer.events.size() == 11);
    CHECK(answer.events[9]["cause"] == "link.half-duplex");
    CHECK(answer.outcome() == "pass");
}

TEST_CASE("what a site file needs is marked, and written as it stands there") {
    Tree tree;
    tree.device("pci0000:00/0000:01:00.0", "pci", "igc");
    tree.interface("eno1", "pci0000:00/0000:01:00.0", {{"speed", "2500"}});
    std::map<std::string, std::string> marked;
    const Answer answer = look(tree.text());
    for (const auto& property : answer.events.at(0)["properties"])
        if (property.contains("site")) marked[property["site"]["key"].get<std::string>()] = property["site"]["value"].get<std::string>();
    CHECK(marked == std::map<std::string, std::string>{{"link.speed", "2.5Gbit"}, {"link.mtu", "1500"}, {"end.mac", "02:00:00:00:00:01"}});
}

TEST_CASE("without carrier no speed is shown, and switched off is not the same as without a cable") {
    Tree tree;
    tree.device("pci0000:00/0000:01:00.0", "pci", "igc");
    tree.device("pci0000:00/0000:02:00.0", "pci", "igc");
    tree.interface("eno1", "pci0000:00/0000:01:00.0", {{"carrier", "0"}, {"speed", "10000"}});
    tree.interface("eno2", "pci0000:00/0000:02:00.0", {{"flags", "0x1002"}, {"carrier", "0"}, {"speed", "10000"}});
    const auto seen = rows(look(tree.text()));
    CHECK((seen[0].second["carrier"] == "no" && seen[1].second["carrier"] == "off"));
    CHECK_FALSE((seen[0].second.contains("speed") || seen[1].second.contains("speed")));
}

TEST_CASE("how PCI Express connects an adapter is shown of both sides where one could do more") {
    Tree tree;
    const auto step = [&](const std::string& folder, const std::string& now, const std::string& most, const std::string& lanes) {
        const std::string at = "/sys/devices/" + folder + "/";
        tree.file(at + "current_link_speed", now + " GT/s PCIe");
        tree.file(at + "current_link_width", "4");
        tree.file(at + "max_link_speed", most + " GT/s PCIe");
        tree.file(at + "max_link_width", lanes);
    };
    const auto card = [&](const std::string& name, const std::string& domain, const std::string& most, const std::string& lanes) {
        const std::string slot = "pci" + domain + ":00/" + domain + ":00:00.0", device = slot + "/" + domain + ":01:00.0";
        step(slot, "16.0", "16.0", "4");
        step(device, "16.0", most, lanes);
        tree.device(device, "pci", "mlx5_core");
        tree.interface(name, device, {{"speed", "100000"}});
    };
    card("eth0", "0000", "32.0", "8");
    card("eth1", "0001", "16.0", "4");
    const Answer answer = look(tree.text());
    const auto seen = rows(answer, "adapter");
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].second["pcie"] == "Gen4 x4 (card Gen5 x8, slot Gen4 x4)");
    CHECK(seen[1].second["pcie"] == "Gen4 x4");
    json value;
    for (const auto& event : answer.events)
        if (event["event"] == "see" && event["kind"] == "adapter" && event["name"] == "eth0")
            for (const auto& property : event["properties"])
                if (property["name"] == "pcie") value = property["value"];
    CHECK(value == json{{{"function", "0000:00:00.0"}, {"now", "16 GT/s x4"}, {"most", "16 GT/s x4"}},
                        {{"function", "0000:01:00.0"}, {"now", "16 GT/s x4"}, {"most", "32 GT/s x8"}}});
}

TEST_CASE("who configures an adapter is shown beside it: netplan, NetworkManager, networkd, ifupdown, or nobody") {
    Tree tree;
    for (const char* number : {"1", "2", "3", "4", "5"}) {
        const std::string device = std::string("pci0000:00/0000:0") + number + ":00.0";
        tree.device(device, "pci", "igc");
        tree.interface(std::string("eno") + number, device, {{"speed", "1000"}});
    }
    tree.file("/run/systemd/netif/links/1", "NETWORK_FILE=/run/systemd/network/10-netplan-eno1.network");
    tree.file("/run/NetworkManager/devices/2", "[device]\nconnection-uuid=2b0f");
    tree.file("/run/systemd/netif/links/3", "NETWORK_FILE=/etc/systemd/network/20-wired.network");
    tree.file("/run/network/ifstate", "lo=lo\neno4=eno4");
    std::map<std::string, std::string> by;
    for (const auto& [name, properties] : rows(look(tree.text()), "adapter")) by[name] = properties.value("by", "");
    CHECK(by == std::map<std::string, std::string>{
                    {"eno1", "netplan (networkd)"}, {"eno2", "NetworkManager"}, {"eno3", "networkd"}, {"eno4", "ifupdown"}, {"eno5", ""}});
}

TEST_CASE("a file that the tree lacks of one interface is not known of it, and hides nothing else") {
    Tree tree;
    tree.device("pci0000:00/0000:01:00.0", "pci", "igc");
    tree.device("pci0000:00/0000:02:00.0", "pci", "igc");
    const std::string own = tree.interface("eno1", "pci0000:00/0000:01:00.0", {{"speed", "9223372036854775"}});
    tree.interface("eno2", "pci0000:00/0000:02:00.0", {{"speed", "2500"}});
    for (const char* file : {"mtu", "flags", "carrier"}) std::filesystem::remove(tree.root() / own.substr(1) / file);
    const auto seen = rows(look(tree.text()));
    REQUIRE(seen.size() == 2);
    CHECK((seen[0].second["carrier"] == "up" && !seen[0].second.contains("mtu") && !seen[0].second.contains("speed")));
    CHECK((seen[1].second["mtu"] == "1500" && seen[1].second["speed"] == "2.5G"));
}

TEST_CASE("this machine can be looked at, by anybody") {
    const Answer answer = look("");
    INFO(answer.reason());
    CHECK(answer.outcome() == "pass");
}

}  // namespace look_test
