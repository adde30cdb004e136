// Which interfaces of a machine are in one prefix, so that the kernel cannot tell their links apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine.hpp"

namespace diag::link {

using probe::InterfaceAddress;

// "10.10.0.0/24", the network that an address is in; of a point-to-point address, the one that its other end is in.
std::string network_of(const InterfaceAddress& own);
// A host route or a link-local IPv6 address makes no network that another interface could be in as well.
bool makes_network(const InterfaceAddress& own);
// One contains the other, or they are equal.
bool overlap(const InterfaceAddress& one, const InterfaceAddress& other);
// The address of an interface whose network an address is in; null: it is in none of them.
const InterfaceAddress* holding(const Seen& seen, const probe::Address& address);
// 169.254/16 (RFC 3927): what an interface gives itself where nobody gave it an address.
bool self_assigned(const InterfaceAddress& own);
// "the broadcast address of 10.10.0.0/24", where an IPv4 address is the first or the last of the network; "" where it can be a host's.
std::string no_host_of(const InterfaceAddress& network, const probe::Address& address);

// An interface in a network, by this address of it.
struct InPrefix {
    const Seen* seen = nullptr;
    InterfaceAddress own;
    bool sorted = false;  // rules by source (ip-rule(8)) lead what comes from this address out by this interface
};

// A network that several interfaces of this machine are in.
struct SharedPrefix {
    std::string network;            // "10.10.0.0/24"
    probe::Address somebody;        // some address of it that is none of theirs
    std::vector<InPrefix> members;  // in the machine's order, so that those of one interface stand together
};

// All of them, in each VRF by itself.  Who has a wider prefix is a member of a narrower network that its own address lies in.  Interfaces
// that are switched off have no route, and are none.
std::vector<SharedPrefix> shared_prefixes(const Machine& machine, World& world);
// The members that get in the way of one interface, each interface once: not those that share on purpose (bridge and member), and not
// where rules by source sort both.
std::vector<const InPrefix*> in_the_way_of(const Seen& one, const SharedPrefix& shared, const Machine& machine);
// "eth0 and eth1 are both in 10.10.0.0/24: traffic for either leaves by one of them".
std::string crowd_words(const std::vector<std::string>& who, const SharedPrefix& shared);

// net.ipv4.conf.IF.rp_filter as it takes effect: 0 off, 1 strict, 2 loose; nothing where it cannot be read.
std::optional<int> reverse_path_filter(const World& world, const std::string& interface);

// An address in the network of a bridge for containers.
struct ContainerClash {
    const Seen* bridge = nullptr;
    InterfaceAddress mine, theirs;
};
// The bridges for containers whose prefixes overlap one of these, each once.
std::vector<ContainerClash> container_clashes(const Machine& machine, const Seen& one);

}  // namespace diag::link
