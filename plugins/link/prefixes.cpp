#include "prefixes.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

namespace diag::link {
namespace {

unsigned char* bytes_of(sockaddr_storage& address, bool v6) {
    return v6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_addr.s6_addr
              : reinterpret_cast<unsigned char*>(&reinterpret_cast<sockaddr_in&>(address).sin_addr);
}

std::size_t size_of(const probe::Address& address) { return address.v6() ? sizeof(in6_addr) : sizeof(in_addr); }

// The address with the bits behind the prefix, in network order, all zero or all one.
probe::Address edge(const probe::Address& address, unsigned bits, bool last) {
    sockaddr_storage copy{};
    std::memcpy(&copy, address.get(), address.size());
    unsigned char* bytes = bytes_of(copy, address.v6());
    for (std::size_t i = 0; i < size_of(address); ++i, bits -= std::min(bits, 8U)) {
        const auto behind = static_cast<unsigned char>(bits < 8 ? 0xffU >> bits : 0U);
        bytes[i] = static_cast<unsigned char>(last ? bytes[i] | behind : bytes[i] & ~behind);
    }
    return {reinterpret_cast<const sockaddr*>(&copy), address.size()};
}

// Near to the first member's, as an address that is in use is likely to be; one of theirs where a small network is full of them.
probe::Address somebody_in(const std::vector<InPrefix>& members, unsigned bits) {
    const probe::Address& near = members.front().own.network();
    const auto taken = [&](const probe::Address& address) {
        return std::any_of(members.begin(), members.end(), [&](const InPrefix& each) { return each.own.address == address; });
    };
    for (unsigned i = 2; i <= 257; ++i) {  // the lowest bit last: one with it is often the network's own address
        sockaddr_storage other{};
        std::memcpy(&other, near.get(), near.size());
        unsigned char& byte = bytes_of(other, near.v6())[size_of(near) - 1];
        byte = static_cast<unsigned char>(byte ^ i);
        const probe::Address address(reinterpret_cast<const sockaddr*>(&other), near.size());
        if (probe::in_prefix(address, near, bits) && !taken(address) && no_host_of({0, near, bits}, address).empty()) return address;
    }
    return members.back().own.address;
}

bool leaves_by_itself(const InPrefix& member, const probe::Address& target, World& world) {
    const auto way = world.route(target, member.own.address);
    return way && way->interface == member.seen->interface.index;
}

std::string text_of(const probe::Address& address, unsigned bits) { return fmt::format("{}/{}", edge(address, bits, false).text(), bits); }

using Network = std::pair<unsigned, std::string>;  // with its VRF

struct Group {
    unsigned bits = 0;
    std::vector<InPrefix> members;
};

bool takes_part(const Seen& seen) { return seen.interface.up && !seen.interface.loopback; }

// Every network with those whose address lies in it, and whose prefix is not longer than its own.
std::map<Network, Group> networks(const Machine& machine) {
    std::map<Network, Group> all;
    std::set<unsigned> lengths;
    std::vector<InPrefix> addresses;
    for (const auto& seen : machine.all())
        for (const auto& own : seen.addresses)
            if (takes_part(seen) && makes_network(own)) addresses.push_back({&seen, own});
    for (const auto& [seen, own, sorted] : addresses) {
        all[{machine.vrf_of(*seen), network_of(own)}].bits = own.prefix;
        lengths.insert(own.prefix);
    }
    for (const auto& each : addresses)
        for (auto bits = lengths.lower_bound(each.own.prefix); bits != lengths.end() && *bits <= size_of(each.own.address) * 8; ++bits)
            if (const auto found = all.find({machine.vrf_of(*each.seen), text_of(each.own.network(), *bits)}); found != all.end())
                found->second.members.push_back(each);
    return all;
}

}  // namespace

std::string network_of(const InterfaceAddress& own) { return text_of(own.network(), own.prefix); }

bool makes_network(const InterfaceAddress& own) {
    return own.address.scope() == 0 && own.prefix < (own.address.v6() ? 128U : 32U) && !own.address.loopback();
}

bool overlap(const InterfaceAddress& one, const InterfaceAddress& other) {
    return makes_network(one) && makes_network(other) &&
           probe::in_prefix(one.network(), other.network(), std::min(one.prefix, other.prefix));
}

const InterfaceAddress* holding(const Seen& seen, const probe::Address& address) {
    for (const auto& own : seen.addresses)
        if (makes_network(own) && own.holds(address)) return &own;
    return nullptr;
}

bool self_assigned(const InterfaceAddress& own) {
    static const probe::Address network = probe::Address::parse("169.254.0.0").value();
    return probe::in_prefix(own.address, network, 16);
}

// A network of two addresses has neither (RFC 3021), and IPv6 has none at all.
std::string no_host_of(const InterfaceAddress& network, const probe::Address& address) {
    if (address.v6() || network.prefix > 30 || !network.holds(address)) return "";
    const bool first = address == edge(address, network.prefix, false), last = address == edge(address, network.prefix, true);
    return first || last ? fmt::format("the {} address of {}", first ? "network" : "broadcast", network_of(network)) : "";
}

std::vector<SharedPrefix> shared_prefixes(const Machine& machine, World& world) {
    std::vector<SharedPrefix> found;
    for (auto& [network, group] : networks(machine)) {
        auto& members = group.members;
        const auto another = [&](const InPrefix& each) { return each.seen != members.front().seen; };
        if (std::none_of(members.begin(), members.end(), another)) continue;
        const probe::Address somebody = somebody_in(members, group.bits);
        for (auto& member : members) member.sorted = leaves_by_itself(member, somebody, world);
        found.push_back({network.second, somebody, std::move(members)});
    }
    return found;
}

std::vector<const InPrefix*> in_the_way_of(const Seen& one, const SharedPrefix& shared, const Machine& machine) {
    std::vector<const InPrefix*> found;
    bool all_sorted = true, is_member = false;
    for (const auto& mine : shared.members) {
        is_member = is_member || mine.seen == &one;
        all_sorted = all_sorted && (mine.sorted || mine.seen != &one);
    }
    for (const auto& other : shared.members) {
        if (is_member && !(all_sorted && other.sorted) && !machine.related(one, *other.seen) &&
            (found.empty() || found.back()->seen != other.seen))
            found.push_back(&other);
    }
    return found;
}

std::string crowd_words(const std::vector<std::string>& who, const SharedPrefix& shared) {
    const bool two = who.size() == 2, by_themselves = self_assigned(shared.members.front().own);
    return fmt::format("{} are {} in {}{}: traffic for {} leaves by one of them", listed_few(who), two ? "both" : "all", shared.network,
                       by_themselves ? ", the range that interfaces take by themselves where nobody gives them an address" : "",
                       two ? "either" : "each");
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

std::vector<ContainerClash> container_clashes(const Machine& machine, const Seen& one) {
    std::vector<ContainerClash> found;
    for (const auto& other : machine.all()) {
        if (!other.for_containers || !takes_part(other) || machine.related(one, other)) continue;
        if (machine.vrf_of(one) != machine.vrf_of(other)) continue;
        const auto clash = [&]() -> std::optional<ContainerClash> {
            for (const auto& mine : one.addresses)
                for (const auto& theirs : other.addresses)
                    if (overlap(mine, theirs)) return ContainerClash{&other, mine, theirs};
            return std::nullopt;
        }();
        if (clash) found.push_back(*clash);
    }
    return found;
}

}  // namespace diag::link
