#include "lab/lab.hpp"

#include <net/if.h>

#include <regex>
#include <set>

#include <yaml-cpp/yaml.h>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "lab/faults.hpp"
#include "lab/files.hpp"
#include "lab/ssh_files.hpp"
#include "lab/topology.hpp"

using namespace diag::lab;

TEST_CASE("Two interfaces of the largest lab never share an address, a MAC or a name, and every name fits the kernel") {
    const Topology lab = topology(max_nodes);
    CHECK(lab.nodes.size() == 8);
    CHECK(lab.wires.size() == 1 + 28);
    std::set<std::string> seen;
    const auto fresh = [&](const std::string& value) { return seen.insert(value).second; };
    for (const Wire& wire : lab.wires) {
        CHECK(wire.bridge.size() < IFNAMSIZ);
        CHECK(fresh(wire.id));
        CHECK(fresh(wire.bridge_mac));
        for (const End& end : wire.ends) {
            CHECK(end.interface.size() < IFNAMSIZ);
            CHECK(end.port.size() < IFNAMSIZ);
            for (const std::string& value : {end.mac, end.port_mac, end.v4, end.v6, end.name, end.port, end.node + " " + end.interface})
                CHECK(fresh(value));
        }
    }
}

TEST_CASE("The cable of a and b keeps its plain name in a lab of any size, so the faults find it") {
    for (int nodes = min_nodes; nodes <= max_nodes; ++nodes) {
        const Topology lab = topology(nodes);
        const Wire& cable = lab.wires.at(1);
        CHECK(cable.id == "direct");
        CHECK(cable.ends[1].v4 == "10.10.10.12");
        CHECK(cable.ends[1].v6 == "fd1a:b0:0:10::12");
        CHECK(cable.ends[1].mac == "02:1a:b0:00:0a:0c");
        CHECK(cable.ends[1].name == "node-b-direct.home.arpa");
        CHECK(cable.ends[1].port == "ab-b");
        CHECK(lab.wires.at(0).ends[1].v4 == "10.10.1.12");
    }
}

TEST_CASE("The site file says that it is a lab, and gives both ends of every link") {
    const YAML::Node site = YAML::Load(site_file(topology(3), ""));
    CHECK(site["lab"].as<bool>());
    CHECK(site["machines"].size() == 3);
    CHECK(site["machines"]["node-c"]["name"].as<std::string>() == "node-c.home.arpa");
    REQUIRE(site["links"].size() == 4);
    const YAML::Node direct = site["links"][0], house = site["links"][3];
    CHECK(direct["id"].as<std::string>() == "direct");
    CHECK(direct["mtu"].as<int>() == 9000);
    CHECK(direct["expect"].as<std::string>() == "4Gbit");
    CHECK(house["expect"].as<std::string>() == "1Gbit");
    CHECK(direct["ends"]["node-b"]["address"].as<std::string>() == "10.10.10.12");
    CHECK_FALSE(direct["management"]);
    CHECK(house["management"].as<bool>());
    CHECK(house["ends"].size() == 3);
}

TEST_CASE("The site file says how to log in, where somebody can") {
    CHECK_FALSE(YAML::Load(site_file(topology(2), ""))["ssh"]);
    const YAML::Node ssh = YAML::Load(site_file(topology(2), ssh_config_path))["ssh"];
    CHECK(ssh["user"].as<std::string>() == "root");
    CHECK(ssh["config"].as<std::string>() == "/run/diag-lab/ssh/config");
}

TEST_CASE("A node is known by all its names and addresses, and by nobody else's") {
    const std::string line = known_hosts_lines(topology(3), "c", "ssh-ed25519 AAAA node-c\n");
    CHECK(line ==
          "node-c.home.arpa,node-c,10.10.1.13,fd1a:b0:0:1::13,node-c-direct-ac.home.arpa,node-c-direct-ac,10.10.11.13,fd1a:b0:0:11::13,"
          "node-c-direct-bc.home.arpa,node-c-direct-bc,10.10.12.13,fd1a:b0:0:12::13 ssh-ed25519 AAAA\n");
}

TEST_CASE("sshd is told nothing that its version does not know, and no folder that would end its line") {
    const std::string modern = sshd_config("b", "/opt/my diag/bin", true), old = sshd_config("b", "/opt/diag/bin", false);
    CHECK_THAT(modern, ContainsSubstring("\nPerSourcePenalties no\n"));
    CHECK_THAT(modern, ContainsSubstring(" \"PATH=/opt/my diag/bin:/usr/local/sbin"));
    CHECK_THAT(modern, ContainsSubstring(" \"DIAG_LOCK=/run/diag-lab/exclusive-b.lock\""));
    CHECK_THAT(old, !ContainsSubstring("PerSourcePenalties"));
    CHECK_THROWS(sshd_config("b", "/opt/\"\nForceCommand x", true));
}

TEST_CASE("In a node root has a home of the node's own, whatever this machine's root has, and everybody else stays") {
    CHECK(passwd_of_node("root:x:0:0::/root:/usr/sbin/nologin\nsshd:x:101:65534::/run/sshd:/usr/sbin/nologin\n") ==
          "root:x:0:0:root:/run/diag-lab/ssh:/bin/bash\nsshd:x:101:65534::/run/sshd:/usr/sbin/nologin\n");
}

TEST_CASE("A node answers to its letter and to its machine's name, and to nothing else") {
    const Topology lab = topology(2);
    CHECK(node_of(lab, "a") == "a");
    CHECK(node_of(lab, "node-b") == "b");
    for (const char* other : {"", "c", "node-c", "house", "node-", "../a"}) CHECK(node_of(lab, other).empty());
}

TEST_CASE("A node never asks DNS or mDNS, whatever the machine's nsswitch.conf says") {
    const std::string own = "passwd: files ldap\n  hosts:  files mdns4_minimal [NOTFOUND=return] dns\n# hosts: dns\nservices: db files";
    CHECK(nsswitch_with_files_only(own) == "passwd: files ldap\n# hosts: dns\nservices: db files\nhosts: files\n");
    CHECK(nsswitch_with_files_only("") == "hosts: files\n");
}

TEST_CASE("Every fault can be told from every other, and says what must be found") {
    const std::regex code("[a-z]+\\.[a-z0-9-]+"), word("[a-z0-9-]+");
    std::set<std::string> names;
    for (const Fault& fault : faults()) {
        INFO(fault.name);
        CHECK(names.insert(fault.name).second);
        CHECK(std::regex_match(fault.name, word));
        CHECK_FALSE(fault.summary.empty());
        CHECK_FALSE(fault.steps.empty());
        if (fault.twin()) {
            CHECK(fault.checkpoint.empty());
            CHECK(std::regex_match(fault.not_cause, code));
            CHECK_FALSE(fault.warns);
        } else {
            CHECK(std::regex_match(fault.checkpoint, word));
            CHECK(std::regex_match(fault.cause, code));
            CHECK(fault.not_cause.empty());
        }
        if (!fault.settings.empty()) {
            CHECK(std::regex_match(fault.settings, std::regex("[a-z]+=[a-z0-9]+")));
        }
    }
}

TEST_CASE("Every fault has a healthy twin, and every twin a fault that it must not be taken for") {
    std::set<std::string> caused, looked_like;
    for (const Fault& fault : faults()) (fault.twin() ? looked_like : caused).insert(fault.twin() ? fault.not_cause : fault.cause);
    for (const std::string& cause : looked_like) CHECK(caused.count(cause) == 1);
    CHECK(caused == looked_like);
}

TEST_CASE("The list of faults is a table for people, and the same table for programs") {
    CHECK_THAT(faults_as_text(), ContainsSubstring("bridge-1500"));
    const auto list = nlohmann::json::parse(faults_as_json());
    REQUIRE(list.size() == faults().size());
    for (const auto& one : list) {
        CHECK(one.contains("name"));
        CHECK(one.contains("summary"));
        CHECK(one.at("cause").get<std::string>().empty() == one.value("twin", false));
        CHECK(one.contains("checkpoint"));
    }
}

TEST_CASE("A word that `diag lab` does not know changes nothing and exits with 64") {
    using Words = std::vector<std::string>;
    const Words wrong[] = {{},
                           {"upp"},
                           {"up", "--nodes"},
                           {"up", "--nodes", "1"},
                           {"up", "--nodes=9"},
                           {"up", "--nodes", "two"},
                           {"up", "--nodes", ""},
                           {"up", "--nodes="},
                           {"up", "now"},
                           {"down", "a"},
                           {"break"},
                           {"break", "bridge-150"},
                           {"break", "bridge-1500", "far-1500"},
                           {"exec"},
                           {"exec", "a"},
                           {"exec", "a", "--"},
                           {"faults", "--format", "xml"},
                           {"faults", "--format", ""},
                           {"site", "x"}};
    for (const Words& words : wrong) {
        INFO((words.empty() ? "nothing" : words.back()));
        CHECK(diag::lab::main(words, {}) == 64);
    }
    CHECK(diag::lab::main({"--help"}, {}) == 0);
    CHECK(diag::lab::main({"faults"}, {}) == 0);
}
