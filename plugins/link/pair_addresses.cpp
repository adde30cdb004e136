#include "pair_addresses.hpp"

#include "bulk_judge.hpp"
#include "probe/netlink.hpp"

#include <algorithm>

namespace diag::link {
namespace {

std::string clash_words(const ClashQuestion& q, const AddressClash& clash) {
    return fmt::format("{} is on {} of {} and on {} of {}", clash.address.text(), clash.here, q.here, clash.there, q.there);
}

// Whose it is, the site file says; the other one has to give it up.
Verdict clash_verdict(const ClashQuestion& q, const AddressClash& clash, const std::string& reason) {
    const auto is = [&](const std::optional<std::string>& planned) {
        const auto address = planned ? probe::Address::parse(*planned) : std::nullopt;
        return address && *address == clash.address;
    };
    const bool mine = is(q.address), theirs = is(q.peer_address);
    const auto either = [&](const std::string& here, const std::string& there) {
        return mine != theirs ? (mine ? there : here) : here == there ? here : here + "/" + there;
    };
    return (clash.services > 0 ? warn("link.address-on-both", "{}", reason) : fail("link.address-on-both", "{}", reason))
        .with("address", clash.address.text())
        .with("machine", either(q.here, q.there))
        .with("interface", either(clash.here, clash.there));
}

}  // namespace

std::vector<OwnedAddress> own_addresses(const Machine& machine) {
    std::vector<OwnedAddress> found;
    for (const Seen& seen : machine.all())
        for (const auto& own : seen.addresses)
            found.push_back(
                {seen.interface.name, own.address, seen.for_containers, seen.interface.loopback || seen.interface.kind == "dummy"});
    return found;
}

std::string misplaced(const std::string& machine, const std::string& interface, const std::string& address,
                      const std::vector<OwnedAddress>& addresses) {
    const auto planned = probe::Address::parse(address);
    if (!planned) return "";
    const auto own = bulk::same_bytes(probe::interface(interface), probe::interfaces());
    std::string elsewhere;
    for (const auto& one : addresses) {
        if (!(one.address == *planned)) continue;
        if (own.contains(probe::interface(one.interface).index)) return "";
        elsewhere = one.interface;
    }
    if (elsewhere.empty()) return fmt::format("{} has no address {}", machine, address);
    return fmt::format("{} is on {} of {}, and not on {}", address, elsewhere, machine, interface);
}

json to_json(const std::vector<OwnedAddress>& addresses) {
    json list = json::array();
    for (const auto& one : addresses)
        list.push_back({{"interface", one.interface},
                        {"address", one.address.text()},
                        {"container_bridge", one.container_bridge},
                        {"service", one.service}});
    return list;
}

std::vector<OwnedAddress> addresses_from(const json& document) {
    std::vector<OwnedAddress> found;
    try {
        for (const json& one : document)
            if (auto address = probe::Address::parse(one.at("address").get<std::string>()))
                found.push_back({one.at("interface"), *address, one.at("container_bridge"), one.at("service")});
    } catch (const json::exception& e) {
        throw Unreadable(fmt::format("a far end's addresses are malformed: {}", e.what()));
    }
    return found;
}

std::optional<Verdict> judge_clashes(const ClashQuestion& question, std::string& saw) {
    std::vector<AddressClash> real;
    for (const auto& clash : address_clashes(question.addresses_here, question.addresses_there))
        if (clash.containers_only)
            saw += fmt::format("; {}, for containers: they never meet", clash_words(question, clash));
        else if (clash.services == 2)
            saw += fmt::format("; {}: a service's", clash_words(question, clash));
        else
            real.push_back(clash);
    if (real.empty()) return std::nullopt;
    std::stable_sort(real.begin(), real.end(), [](const auto& a, const auto& b) { return a.services < b.services; });
    std::string reason = clash_words(question, real.front());
    for (std::size_t i = 1; i < real.size(); ++i) reason += "; also " + clash_words(question, real[i]);
    return clash_verdict(question, real.front(), reason);
}

}  // namespace diag::link
