// Which interfaces of a machine are in one prefix, so that the kernel cannot tell their links apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine.hpp"

namespace diag::link {

using probe::InterfaceAddress;

// "10.10.0.0/24", the network that an address is in.
std::string network_of(const InterfaceAddress& own);
// A host route or a link-local IPv6 address makes no network that another interface could be in as well.
bool makes_network(const InterfaceAddress& own);
bool same_network(const InterfaceAddress& one, const InterfaceAddress& other);
// One contains the other, or they are equal.
bool overlap(const InterfaceAddress& one, const InterfaceAddress& other);
// The address of an interface whose network an address is in; null: it is in none of them.
const InterfaceAddress* holding(const Seen& seen, const probe::Address& address);
// 169.254/16 (RFC 3927): what an interface gives itself where nobody gave it an address.
bool self_assigned(const InterfaceAddress& own);

// Two interfaces in one prefix.
struct Clash {
    const Seen* one = nullptr;
    const Seen* other = nullptr;
    InterfaceAddress mine, theirs;
};

// Another interface in the prefix of one of these; nothing where they are on purpose (bridge and member, two VRFs),
// or where the other is switched off and so has no route.
std::optional<Clash> same_prefix(const Machine& machine, const Seen& one);
// Whether rules by source (ip-rule(8)) keep the two apart: each address leaves by its own interface.
bool sorted_by_source(const Clash& clash, World& world);
// Some address of the network that is not one of the two.
probe::Address somebody_in(const Clash& clash);
// net.ipv4.conf.IF.rp_filter as it takes effect: 0 off, 1 strict, 2 loose; nothing where it cannot be read.
std::optional<int> reverse_path_filter(const World& world, const std::string& interface);
// A bridge for containers whose prefix overlaps one of these.
std::optional<Clash> container_clash(const Machine& machine, const Seen& one);

}  // namespace diag::link
