#include "topology_judge.hpp"

#include <algorithm>

#include "cabling.hpp"
#include "family.hpp"
#include "machine.hpp"
#include "probe/port.hpp"

namespace diag::link {
namespace {

using Macs = std::vector<std::string>;

// "" where /sys shows another network than this one.
std::string bridge_file(const std::filesystem::path& root, const Seen& bridge, const std::string& file) {
    const std::string own = "/sys/class/net/" + bridge.interface.name;
    const bool same = probe::sysfs_word(root, own + "/ifindex") == std::to_string(bridge.interface.index);
    return same ? probe::sysfs_word(root, own + "/bridge/" + file) : "";
}

class TopologyJudge {
  public:
    TopologyJudge(const TopologyQuestion& question, World& world) : question_(question), world_(world), machine_(world) {}
    Finding finding();

  private:
    Verdict verdict();
    void bridge();
    void mac_twice();
    void profiles();
    void owners(const std::optional<std::string>& asked, bool own);
    void clash(const probe::Address& address, const Macs& macs, bool own);
    const Seen* ours(const std::string& mac) const;
    void found(Verdict verdict) { all_.push_back(std::move(verdict)); }
    void say(const std::string& words) { finding_.saw += (finding_.saw.empty() ? "" : "; ") + words; }

    const probe::Interface& link() const { return subject_->interface; }
    const std::string& name() const { return link().name; }

    const TopologyQuestion& question_;
    World& world_;
    Machine machine_;
    const Seen* subject_ = nullptr;
    std::vector<Verdict> all_;
    Finding finding_;
};

void TopologyJudge::bridge() {
    const Seen* bridge = link().kind == "bridge" ? subject_ : machine_.master_of(*subject_);
    if (bridge == nullptr || bridge->interface.kind != "bridge") return;
    std::vector<std::string> links = question_.links;
    links.push_back(question_.interface);
    if (auto joined = joined_links(machine_, *bridge, links, world_.root(), name())) found(*std::move(joined));
}

// Harmless while they are on different networks, and not for long.
void TopologyJudge::mac_twice() {
    if (!own_mac(link().mac)) return;
    for (const auto& other : machine_.all())
        if (other.interface.index != link().index && other.interface.up && other.interface.mac == link().mac && !other.interface.loopback &&
            !one_family(machine_, *subject_, other))
            return found(warn("link.mac-twice", "{} and {} have one MAC, {}, and neither stands on the other", name(), other.interface.name,
                              link().mac)
                             .with("mac", link().mac));
}

void TopologyJudge::profiles() {
    const Cabling cabling = judge_cabling(machine_, *subject_, world_.root());
    if (!cabling.words.empty()) say(cabling.words);
    finding_.evidence += cabling.table;
    if (cabling.verdict) found(*cabling.verdict);
}

const Seen* TopologyJudge::ours(const std::string& mac) const {
    for (const auto& seen : machine_.all())
        if (seen.interface.mac == mac && own_mac(mac)) return &seen;
    return nullptr;
}

void TopologyJudge::clash(const probe::Address& address, const Macs& macs, bool own) {
    Macs real;
    for (const auto& mac : macs)
        if (!virtual_router(mac) && !(own && ours(mac) != nullptr)) real.push_back(mac);
    const std::string text = address.text();
    if (own && !real.empty())
        return found(fail("link.address-twice", "{} is this machine's own, on {}, and {} {} for it as well", text, name(), listed(real),
                          real.size() == 1 ? "answers" : "answer")
                         .with("address", text)
                         .with("mac", real.front()));
    if (own) return;
    for (const auto& mac : macs)
        if (const Seen* mine = ours(mac))
            return found(
                fail("link.mac-twice", "the far end answers for {} with {}, the MAC of {} on this machine", text, mac, mine->interface.name)
                    .with("mac", mac));
    if (real.size() > 1)
        found(fail("link.address-twice",
                   "{} answer for {}: two machines have that address, or one machine answers for it by two interfaces in this network",
                   listed(real), text)
                  .with("address", text)
                  .with("mac", real.back()));
}

// Who answers for an address on the wire.  That nobody does is for names.reach to explain.
void TopologyJudge::owners(const std::optional<std::string>& asked, bool own) {
    if (!asked) return;
    const auto address = probe::Address::parse(*asked);
    if (!address) throw BadValue("'" + *asked + "' is no address");
    const auto is_own = [&](const Seen& seen) {
        return std::any_of(seen.addresses.begin(), seen.addresses.end(), [&](const auto& each) { return each.address == *address; });
    };
    const bool local = std::any_of(machine_.all().begin(), machine_.all().end(), is_own);
    if (own != local || !link().carrier) return;  // link.routes tells an own address that is missing, and a peer's that is here
    const auto macs = world_.owners(*address, link().index);
    if (!macs) return say(fmt::format("who answers for {} was not asked: that needs CAP_NET_RAW, and an Ethernet link", address->text()));
    say(fmt::format("{} for {}",
                    macs->empty() ? std::string(own ? "nobody else answers" : "nobody answers")
                                  : listed(*macs) + (macs->size() == 1 ? " answers" : " answer"),
                    address->text()));
    clash(*address, *macs, own);
}

Verdict TopologyJudge::verdict() {
    subject_ = &machine_.find(question_.interface);
    bridge();
    profiles();
    owners(question_.address, true);
    owners(question_.peer, false);
    mac_twice();
    if (!all_.empty()) return worst_of(all_, finding_.saw);
    return pass("{} is joined to no other link{}", name(), finding_.saw.empty() ? "" : "; " + finding_.saw);
}

Finding TopologyJudge::finding() {
    finding_.asked = "what " + question_.interface + " is joined to, and who else claims its addresses";
    finding_.verdict = verdict();
    finding_.evidence += machine_.table();
    return std::move(finding_);
}

}  // namespace

bool virtual_router(const std::string& mac) {
    for (const char* prefix : {"00:00:5e:00:01:", "00:00:5e:00:02:", "00:00:0c:07:ac:", "00:00:0c:9f:f"})
        if (mac.starts_with(prefix)) return true;
    return false;
}

std::optional<Verdict> joined_links(const Machine& machine, const Seen& bridge, const std::vector<std::string>& links,
                                    const std::filesystem::path& root, const std::string& kept) {
    std::vector<std::string> names;
    for (const Seen* member : machine.members_of(bridge))
        if (leads_outside(machine, *member, links)) names.push_back(member->interface.name);
    if (names.size() < 2) return std::nullopt;
    const std::string stp = bridge_file(root, bridge, "stp_state"), filter = bridge_file(root, bridge, "vlan_filtering");
    const bool guarded = (!stp.empty() && stp != "0") || filter == "1";
    Verdict joined = fail("link.bridge-joins-links", "the bridge {} joins {}: what is broadcast on one link goes out on the other{}",
                          bridge.interface.name, listed(names),
                          guarded       ? ", unless its spanning tree or its VLANs keep them apart"
                          : stp.empty() ? "; where they meet again elsewhere, frames circle for ever, unless a spanning tree ends that"
                                        : ", without a spanning tree: where they meet again elsewhere, frames circle for ever");
    if (guarded) joined.outcome = Outcome::warn;
    return std::move(joined).with("bridge", bridge.interface.name).with("member", names[0] == kept ? names[1] : names[0]);
}

Finding judge_topology(const TopologyQuestion& question, World& world) { return TopologyJudge(question, world).finding(); }

}  // namespace diag::link
