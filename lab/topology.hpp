// What the lab consists of: nodes, switches, wires, addresses, MACs and names.  Pure data; nothing here touches the machine.
#pragma once

#include <string>
#include <vector>

namespace diag::lab {

inline constexpr int min_nodes = 2, max_nodes = 8;

// One end of a wire: a node's interface, and the port of the switch that it is plugged into.
struct End {
    std::string node;       // "a"
    std::string interface;  // in the node: "house", "direct", "direct-ac"
    std::string port;       // in the switch
    std::string mac, port_mac;
    std::string v4, v6;  // without prefix length
    std::string name;    // fully qualified, of this path
};

// A path: every end hangs on one bridge, which lives in a switch namespace.
struct Wire {
    std::string id;       // of the link in the site file
    std::string network;  // the switch: "house" or "direct"
    std::string bridge;   // in the switch
    std::string bridge_mac;
    int mtu = 1500;
    int gbit = 1;  // shaped rate, Gbit/s
    bool management = false;
    std::vector<End> ends;
};

struct Topology {
    std::vector<std::string> nodes;  // "a", "b", ...
    std::vector<Wire> wires;         // the house, then a cable for each pair; a-b comes first
};

inline constexpr int prefix4 = 24, prefix6 = 64;

// `nodes` from min_nodes to max_nodes.
Topology topology(int nodes);

// The machine's key and host name: "node-a".
std::string machine_of(const std::string& node);

// A node given as "a" or "node-a"; empty where there is no such node.
std::string node_of(const Topology& lab, const std::string& word);

// The first label: "node-a-direct" of node-a-direct.home.arpa.
std::string short_name(const std::string& name);

// The content of /etc/hosts on every node, and the site file; `ssh_config` is empty where nobody can log in.
std::string hosts_file(const Topology& lab);
std::string site_file(const Topology& lab, const std::string& ssh_config);

}  // namespace diag::lab
