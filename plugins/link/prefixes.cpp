#include "prefixes.hpp"

#include <algorithm>
#include <cstring>

namespace diag::link {
namespace {

template <class Applies>
std::optional<Clash> first_clash(const Machine& machine, const Seen& one, Applies applies) {
    for (const auto& other : machine.all()) {
        if (!other.interface.up || other.interface.loopback || machine.related(one, other)) continue;
        for (const auto& mine : one.addresses)
            for (const auto& theirs : other.addresses)
                if (applies(other, mine, theirs)) return Clash{&one, &other, mine, theirs};
    }
    return std::nullopt;
}

// The bits behind the prefix of an address in network order, set to zero.
void mask(unsigned char* bytes, std::size_t size, unsigned bits) {
    for (std::size_t i = 0; i < size; ++i, bits -= std::min(bits, 8U))
        if (bits < 8) bytes[i] = static_cast<unsigned char>(bytes[i] & (0xff00U >> bits));
}

}  // namespace

std::string network_of(const InterfaceAddress& own) {
    sockaddr_storage network{};
    std::memcpy(&network, own.address.get(), own.address.size());
    if (own.address.v6())
        mask(reinterpret_cast<sockaddr_in6&>(network).sin6_addr.s6_addr, sizeof(in6_addr), own.prefix);
    else
        mask(reinterpret_cast<unsigned char*>(&reinterpret_cast<sockaddr_in&>(network).sin_addr), sizeof(in_addr), own.prefix);
    return fmt::format("{}/{}", probe::Address(reinterpret_cast<const sockaddr*>(&network), own.address.size()).text(), own.prefix);
}

bool makes_network(const InterfaceAddress& own) {
    return own.address.scope() == 0 && own.prefix < (own.address.v6() ? 128U : 32U) && !own.address.loopback();
}

bool same_network(const InterfaceAddress& one, const InterfaceAddress& other) {
    return makes_network(one) && one.prefix == other.prefix && probe::in_prefix(one.address, other.address, one.prefix);
}

bool overlap(const InterfaceAddress& one, const InterfaceAddress& other) {
    return makes_network(one) && makes_network(other) && probe::in_prefix(one.address, other.address, std::min(one.prefix, other.prefix));
}

const InterfaceAddress* holding(const Seen& seen, const probe::Address& address) {
    for (const auto& own : seen.addresses)
        if (makes_network(own) && probe::in_prefix(address, own.address, own.prefix)) return &own;
    return nullptr;
}

bool self_assigned(const InterfaceAddress& own) {
    static const probe::Address network = probe::Address::parse("169.254.0.0").value();
    return probe::in_prefix(own.address, network, 16);
}

std::optional<Clash> same_prefix(const Machine& machine, const Seen& one) {
    return first_clash(machine, one, [&](const Seen& other, const auto& mine, const auto& theirs) {
        return machine.vrf_of(one) == machine.vrf_of(other) && same_network(mine, theirs);
    });
}

probe::Address somebody_in(const Clash& clash) {
    const probe::Address& mine = clash.mine.address;
    for (const unsigned bit : {2U, 4U, 8U, 1U}) {
        sockaddr_storage other{};
        std::memcpy(&other, mine.get(), mine.size());
        unsigned char* const bytes = mine.v6() ? reinterpret_cast<sockaddr_in6&>(other).sin6_addr.s6_addr
                                               : reinterpret_cast<unsigned char*>(&reinterpret_cast<sockaddr_in&>(other).sin_addr);
        bytes[mine.v6() ? 15 : 3] ^= static_cast<unsigned char>(bit);
        const probe::Address address(reinterpret_cast<const sockaddr*>(&other), mine.size());
        if (probe::in_prefix(address, mine, clash.mine.prefix) && !(address == clash.theirs.address)) return address;
    }
    return clash.theirs.address;  // a network of two addresses, and both are here
}

bool sorted_by_source(const Clash& clash, World& world) {
    const probe::Address target = somebody_in(clash);
    const auto mine = world.route(target, clash.mine.address), theirs = world.route(target, clash.theirs.address);
    return mine && theirs && mine->interface == clash.one->interface.index && theirs->interface == clash.other->interface.index;
}

// The larger of both counts (Linux Documentation/networking/ip-sysctl.rst, rp_filter).
std::optional<int> reverse_path_filter(const World& world, const std::string& interface) {
    std::optional<int> effective;
    for (const std::string& which : {std::string("all"), interface}) {
        const std::string word = probe::sysfs_word(world.root(), "/proc/sys/net/ipv4/conf/" + which + "/rp_filter");
        if (word == "0" || word == "1" || word == "2") effective = std::max(effective.value_or(0), word[0] - '0');
    }
    return effective;
}

std::optional<Clash> container_clash(const Machine& machine, const Seen& one) {
    return first_clash(machine, one, [&](const Seen& other, const auto& mine, const auto& theirs) {
        return machine.container_bridge(other) && machine.vrf_of(one) == machine.vrf_of(other) && overlap(mine, theirs);
    });
}

}  // namespace diag::link
