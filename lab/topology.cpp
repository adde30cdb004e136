#include "lab/topology.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace diag::lab {
namespace {

constexpr int first_host = 11;  // node a ends in .11
constexpr int house_network = 1, first_cable_network = 10;

// `network` tells the paths apart; the addresses are private ones (RFC 1918, RFC 4193) and exist only in the namespaces.
// The MACs are locally administered (bit 1 of the first byte), and the same in every lab.
End end_of(const std::string& node, int number, int network) {
    End end;
    end.node = node;
    end.port = "house-" + node;
    end.mac = fmt::format("02:1a:b0:00:{:02x}:{:02x}", network, first_host + number);
    end.port_mac = fmt::format("02:1a:b0:01:{:02x}:{:02x}", network, first_host + number);
    end.v4 = fmt::format("10.10.{}.{}", network, first_host + number);
    end.v6 = fmt::format("fd1a:b0:0:{}::{}", network, first_host + number);
    return end;
}

Wire house(const std::vector<std::string>& nodes) {
    Wire wire{.id = "house",
              .network = "house",
              .bridge = "switch",
              .bridge_mac = "02:1a:b0:02:01:00",
              .mtu = 1500,
              .gbit = 1,
              .management = true,
              .ends = {}};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        End end = end_of(nodes[i], static_cast<int>(i), house_network);
        end.interface = "house";
        end.name = machine_of(nodes[i]) + ".home.arpa";
        wire.ends.push_back(end);
    }
    return wire;
}

// The cable between nodes i and j.  The one of a and b has plain names; the others carry their pair: "direct-ac".
Wire cable(const std::vector<std::string>& nodes, std::size_t i, std::size_t j, int network) {
    const std::string pair = nodes[i] + nodes[j];
    const std::string suffix = pair == "ab" ? "" : "-" + pair;
    Wire wire{.id = "direct" + suffix,
              .network = "direct",
              .bridge = "cable-" + pair,
              .bridge_mac = fmt::format("02:1a:b0:02:{:02x}:00", network),
              .mtu = 9000,
              .gbit = 4,
              .management = false,
              .ends = {}};
    for (const std::size_t k : {i, j}) {
        End end = end_of(nodes[k], static_cast<int>(k), network);
        end.interface = "direct" + suffix;
        end.port = pair + "-" + nodes[k];
        end.name = machine_of(nodes[k]) + "-direct" + suffix + ".home.arpa";
        wire.ends.push_back(end);
    }
    return wire;
}

}  // namespace

std::string short_name(const std::string& name) { return name.substr(0, name.find('.')); }

Topology topology(int nodes) {
    Topology lab;
    for (int i = 0; i < nodes; ++i) lab.nodes.emplace_back(1, static_cast<char>('a' + i));
    lab.wires.push_back(house(lab.nodes));
    int network = first_cable_network;
    for (std::size_t i = 0; i < lab.nodes.size(); ++i)
        for (std::size_t j = i + 1; j < lab.nodes.size(); ++j) lab.wires.push_back(cable(lab.nodes, i, j, network++));
    return lab;
}

std::string machine_of(const std::string& node) { return "node-" + node; }

std::string node_of(const Topology& lab, const std::string& word) {
    const auto found =
        std::find_if(lab.nodes.begin(), lab.nodes.end(), [&](const auto& node) { return word == node || word == machine_of(node); });
    return found == lab.nodes.end() ? "" : *found;
}

std::string hosts_file(const Topology& lab) {
    std::string text = "127.0.0.1 localhost\n::1 localhost ip6-localhost\n";
    for (const Wire& wire : lab.wires)
        for (const End& end : wire.ends)
            for (const std::string& address : {end.v4, end.v6}) text += fmt::format("{} {} {}\n", address, end.name, short_name(end.name));
    return text;
}

std::string site_file(const Topology& lab, const std::string& ssh_config) {
    std::string text = "# The lab on this machine (diag lab up).  Made anew each time; not the site file of real machines.\nlab: true\n";
    if (!ssh_config.empty()) text += fmt::format("ssh: {{user: root, config: {}}}\n", ssh_config);
    text += "machines:\n";
    for (const std::string& node : lab.nodes)
        text += fmt::format("  {0}: {{name: {0}.home.arpa, roles: [{1}]}}\n", machine_of(node), node == "a" ? "storage, router" : "decode");
    text += "links:\n";
    for (std::size_t i = 0; i < lab.wires.size(); ++i) {
        const Wire& wire = lab.wires[(i + 1) % lab.wires.size()];  // the cables, then the house
        text += fmt::format("  - id: {0}\n    speed: {1}Gbit\n    expect: {1}Gbit\n    mtu: {2}\n{3}    ends:\n", wire.id, wire.gbit,
                            wire.mtu, wire.management ? "    management: true\n" : "");
        for (const End& end : wire.ends)
            text +=
                fmt::format("      {}: {{interface: {}, name: {}, address: {}}}\n", machine_of(end.node), end.interface, end.name, end.v4);
    }
    return text;
}

}  // namespace diag::lab
