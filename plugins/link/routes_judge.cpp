#include "routes_judge.hpp"

#include <algorithm>
#include <tuple>

#include <diag/units.hpp>

#include "prefixes.hpp"

namespace diag::link {
namespace {

using probe::Address;
using Judged = std::optional<Verdict>;
using Way = std::optional<probe::Route>;

// On the link of that interface, where it is link-local and does not say so itself.
std::optional<Address> parsed(const std::optional<std::string>& text, unsigned interface) {
    if (!text) return std::nullopt;
    const auto address = Address::parse(*text);
    if (!address) throw BadValue("'" + *text + "' is no IP address");
    return address->on(interface);
}

class RoutesJudge {
  public:
    RoutesJudge(const RoutesQuestion& question, World& world) : world_(world), machine_(world), link_(machine_.find(question.interface)) {
        // A bridge or a bond owns the addresses of its members: traffic by it is traffic by them.
        const Seen* master = machine_.master_of(link_);
        side_ = master != nullptr && machine_.vrf_of(link_) == 0 ? master : &link_;
        own_ = parsed(question.address, side_->interface.index);
        peer_ = parsed(question.peer, side_->interface.index);
    }
    Finding finding();

  private:
    Verdict verdict();
    Judged own_address() const;
    Judged containers() const;
    Judged shared_prefix();
    void note_harmless(const SharedPrefix& shared, const std::vector<const InPrefix*>& crowd);
    Judged peer_here() const;
    Judged peer_no_host() const;
    Judged way_to_peer();
    Judged of_other_network(const Seen& other) const;
    Judged elsewhere(const Way& way, const std::string& words, bool answers) const;

    const Seen* holder(const Address& address) const;
    bool ours(unsigned index) const { return index == link_.interface.index || index == side_->interface.index; }
    bool leaves_here(const Way& way) const { return way && !way->local && ours(way->interface); }
    const std::string& name() const { return link_.interface.name; }
    std::string addresses() const;

    World& world_;
    Machine machine_;
    const Seen& link_;
    const Seen* side_ = nullptr;
    std::optional<Address> own_, peer_;
    std::vector<std::string> harmless_;  // "10.10.0.0/24 with eth1, ...": prefixes that it shares, and nothing is wrong with that
    std::string saw_;
};

// Who has this address; the link's own side before others.
const Seen* RoutesJudge::holder(const Address& address) const {
    const Seen* found = nullptr;
    for (const auto& seen : machine_.all())
        for (const auto& own : seen.addresses)
            if (own.address == address && (found == nullptr || ours(seen.interface.index))) found = &seen;
    return found;
}

std::string RoutesJudge::addresses() const {
    std::vector<std::string> all;
    for (const auto& own : side_->addresses) all.push_back(own.text());
    return all.empty() ? "no address" : listed(all);
}

Verdict shared_with(const std::string& what, const Seen& bridge) {
    return fail("link.container-bridge",
                "{} {}, a bridge of this machine for containers or virtual machines: what is meant for the link "
                "ends there",
                what, bridge.interface.name)
        .with("bridge", bridge.interface.name);
}

Judged RoutesJudge::own_address() const {
    if (!own_) return std::nullopt;
    const Seen* found = holder(*own_);
    if (found == nullptr)
        return fail("link.address-absent", "{} is on no interface of this machine; {} has {}", own_->text(), side_->interface.name,
                    addresses());
    if (ours(found->interface.index)) return std::nullopt;
    if (found->for_containers) return shared_with(fmt::format("{}, planned for {}, is the address of", own_->text(), name()), *found);
    return fail("link.address-elsewhere", "{} is on {}, not on {}, which has {}", own_->text(), found->interface.name,
                side_->interface.name, addresses())
        .with("found", found->interface.name);
}

std::string with_address(const InPrefix& member) { return fmt::format("{} ({})", member.seen->interface.name, member.own.address.text()); }

Judged RoutesJudge::containers() const {
    const auto clashes = container_clashes(machine_, *side_);
    if (clashes.empty()) return std::nullopt;
    const auto& clash = clashes.front();
    return shared_with(fmt::format("{} of {} overlaps {} of", network_of(clash.mine), name(), network_of(clash.theirs)), *clash.bridge);
}

// Every network counts: one that is shared on purpose must not hide another that is not.
Judged RoutesJudge::shared_prefix() {
    std::vector<std::string> others, networks, words;
    for (const auto& shared : shared_prefixes(machine_, world_)) {
        const auto mine = std::find_if(shared.members.begin(), shared.members.end(), [&](const auto& each) { return each.seen == side_; });
        if (mine == shared.members.end()) continue;
        const auto crowd = in_the_way_of(*side_, shared, machine_);
        note_harmless(shared, crowd);
        if (crowd.empty()) continue;
        std::vector<std::string> who = {with_address(*mine)}, off;
        for (const InPrefix* other : crowd) {
            const std::string& theirs = other->seen->interface.name;
            who.push_back(with_address(*other));
            if (!other->seen->interface.carrier) off.push_back(theirs);
            if (std::find(others.begin(), others.end(), theirs) == others.end()) others.push_back(theirs);
        }
        networks.push_back(shared.network);
        words.push_back(crowd_words(who, shared) +
                        (off.empty() ? "" : fmt::format(", and {} {} no carrier", listed_few(off), off.size() == 1 ? "has" : "have")));
    }
    if (networks.empty()) return std::nullopt;
    std::string reason;
    for (const auto& each : words) reason += (reason.empty() ? "" : "; ") + each;
    return fail("link.same-prefix", "{}", reason).with("other", listed_few(others)).with("prefix", listed(networks));
}

// Who else is in the network, and yet does not get in the way.
void RoutesJudge::note_harmless(const SharedPrefix& shared, const std::vector<const InPrefix*>& crowd) {
    std::vector<const Seen*> noted = {side_};
    for (const InPrefix* other : crowd) noted.push_back(other->seen);
    for (const auto& [seen, own, sorted] : shared.members) {
        if (std::find(noted.begin(), noted.end(), seen) != noted.end()) continue;
        noted.push_back(seen);
        harmless_.push_back(
            fmt::format("{} with {}, {}", shared.network, seen->interface.name,
                        machine_.related(*side_, *seen) ? "which belongs to it" : "from which rules by source keep it apart"));
    }
}

Judged RoutesJudge::peer_here() const {
    const Seen* found = peer_ ? holder(*peer_) : nullptr;
    if (found == nullptr) return std::nullopt;
    if (found->for_containers) return shared_with(fmt::format("{}, the far end's address, is also the address of", peer_->text()), *found);
    return fail("link.peer-own-address", "{}, the far end's address, is this machine's own, on {}", peer_->text(), found->interface.name)
        .with("found", found->interface.name);
}

// What no host can be called: the kernel sends it to all, or to nobody.
Judged RoutesJudge::peer_no_host() const {
    if (!peer_) return std::nullopt;
    std::string what;
    for (const auto& own : side_->addresses)
        if (what.empty() && makes_network(own)) what = no_host_of(own, *peer_);
    for (const auto& [network, bits, words] :
         {std::tuple("224.0.0.0", 4U, "a multicast address"), std::tuple("ff00::", 8U, "a multicast address"),
          std::tuple("0.0.0.0", 8U, "no address of a host"), std::tuple("::", 128U, "no address of a host"),
          std::tuple("255.255.255.255", 32U, "the broadcast address of every network"), std::tuple("127.0.0.0", 8U, "every machine's own"),
          std::tuple("::1", 128U, "every machine's own")})
        if (what.empty() && probe::in_prefix(*peer_, Address::parse(network).value(), bits)) what = words;
    if (what.empty()) return std::nullopt;
    return fail("link.peer-no-host", "{}, the far end's address, is {}: no machine answers by it", peer_->text(), what);
}

// The far end's address belongs to the network of the interface that leads to it, and to none of the link's: it is no route that is wrong.
Judged RoutesJudge::of_other_network(const Seen& other) const {
    const InterfaceAddress* network = holding(other, *peer_);
    if (network == nullptr || holding(*side_, *peer_) != nullptr) return std::nullopt;
    return fail("link.peer-other-network", "{}, the far end's address, lies in {} of {} and in no network of {}, which has {}",
                peer_->text(), network_of(*network), other.interface.name, side_->interface.name, addresses())
        .with("other", other.interface.name);
}

// `answers`: the way is also that by which the kernel checks where a packet of the peer comes from.
Judged RoutesJudge::elsewhere(const Way& way, const std::string& words, bool answers) const {
    if (leaves_here(way)) return std::nullopt;
    const std::string peer = peer_->text();
    if (!way)
        return fail("link.no-route", "no route leads {}{}", words, side_->interface.up ? "" : fmt::format("; {} is switched off", name()));
    const Seen* other = machine_.find(way->interface);
    if (other != nullptr && other->for_containers) return shared_with(fmt::format("packets {} go to", words), *other);
    if (other != nullptr)
        if (auto judged = of_other_network(*other)) return judged;
    if (answers && !peer_->v6() && reverse_path_filter(world_, side_->interface.name) == 1)
        return fail("link.rp-filter",
                    "packets {} leave by {}, and the strict reverse-path filter of {} (rp_filter 1) therefore drops what "
                    "{} sends over the link",
                    words, way->interface_name, side_->interface.name, peer)
            .with("other", way->interface_name)
            .with("side", side_->interface.name);
    return fail("link.route-elsewhere", "packets {} leave by {}, not by {}", words, way->interface_name, name())
        .with("other", way->interface_name);
}

Judged RoutesJudge::way_to_peer() {
    if (!peer_ || machine_.vrf_of(link_) != 0) return std::nullopt;  // a VRF's routes are asked for in its own table
    const bool with_source = own_ && own_->v6() == peer_->v6();
    const Way way = world_.route(*peer_, std::nullopt), back = with_source ? world_.route(*peer_, own_) : way;
    if (auto judged =
            elsewhere(back, with_source ? fmt::format("from {} to {}", own_->text(), peer_->text()) : "to " + peer_->text(), true))
        return judged;
    if (auto judged = elsewhere(way, "to " + peer_->text(), false)) return judged;
    saw_ = fmt::format("{} is reached by {}{}", peer_->text(), way->interface_name, way->gateway ? " through " + way->gateway->text() : "");
    return std::nullopt;
}

Verdict RoutesJudge::verdict() {
    if (!machine_.addresses_known()) throw Unreadable("the machine's addresses cannot be known here");
    if (auto judged = own_address()) return *judged;
    if (auto judged = peer_no_host()) return *judged;
    if (auto judged = peer_here()) return *judged;
    if (auto judged = containers()) return *judged;
    if (auto judged = shared_prefix()) return *judged;
    if (auto judged = way_to_peer()) return *judged;
    return pass("{} has {}, and shares {}{}", side_->interface.name, addresses(),
                harmless_.empty() ? "no prefix with another interface" : listed(harmless_), saw_.empty() ? "" : "; " + saw_);
}

Finding RoutesJudge::finding() {
    Finding finding;
    finding.asked = fmt::format("that traffic{} takes {} alone", peer_ ? " with " + peer_->text() : "", name());
    finding.verdict = verdict();
    finding.saw = fmt::format("{} has {}{}", side_->interface.name, addresses(), saw_.empty() ? "" : "; " + saw_);
    finding.evidence = machine_.table();
    return finding;
}

}  // namespace

Finding judge_routes(const RoutesQuestion& question, World& world) { return RoutesJudge(question, world).finding(); }

}  // namespace diag::link
