#include "bond_judge.hpp"

#include <algorithm>
#include <set>

#include "machine.hpp"
#include "probe/bond.hpp"

namespace diag::link {
namespace {

struct Lane {
    probe::BondMember bond;
    const Seen* seen = nullptr;

    const std::string& name() const { return bond.name; }
    bool up() const { return seen->interface.carrier && (bond.mii.empty() || bond.mii == "up"); }
    bool silent() const { return bond.actor && bond.actor->defaulted(); }
    std::string why_down() const {
        if (!seen->interface.up) return "switched off";
        return seen->interface.carrier ? "with carrier, its bond says: " + bond.mii : "without carrier";
    }
};

using Lanes = std::vector<const Lane*>;

class BondJudge {
  public:
    BondJudge(const BondQuestion& question, World& world) : question_(question), world_(world), machine_(world) {}
    Finding finding();

  private:
    Verdict verdict();
    Verdict no_bond(const Seen& seen) const;
    void read();
    void count();
    void lost_lanes();
    void partner();
    void speeds();
    void aggregators();
    void churn();
    void mtus();
    void watch();
    Verdict passed() const;
    std::string table() const;

    const std::string& name() const { return subject_->interface.name; }
    // As a member of this name is known to the remedy.
    void found(Verdict verdict, const std::string& member = "") {
        all_.push_back(std::move(verdict).with("member", member).with("interface", name()));
    }

    const BondQuestion& question_;
    World& world_;
    Machine machine_;
    const Seen* subject_ = nullptr;
    probe::Bond bond_;
    std::vector<Lane> lanes_;
    Lanes up_;
    std::vector<Verdict> all_;
    Finding finding_;
};

std::vector<std::string> names_of(const Lanes& lanes) {
    std::vector<std::string> names;
    for (const Lane* lane : lanes) names.push_back(lane->name());
    return names;
}

std::string have(const Lanes& lanes) { return lanes.size() == 1 ? "has" : "have"; }

bool nobody(const std::string& mac) { return mac == "00:00:00:00:00:00"; }

Verdict BondJudge::no_bond(const Seen& seen) const {
    const std::string kind = seen.hardware()           ? "an adapter"
                             : seen.interface.loopback ? "loopback"
                                                       : "a " + seen.interface.kind + " interface";
    if (!question_.lanes) return skip("no bond: it is {}", kind);  // without its name, so that a report can say it once for many
    return fail("link.bond-none", "{} is {}, and a bond of {} lanes is planned", seen.interface.name, kind, *question_.lanes);
}

void BondJudge::read() {
    bond_ = probe::bond(world_.root(), name());
    for (const auto& member : bond_.members)
        if (const Seen* seen = machine_.find(member.index)) lanes_.push_back({member, seen});
    for (const auto& lane : lanes_)
        if (lane.up()) up_.push_back(&lane);
}

void BondJudge::count() {
    double failures = 0;
    bool counted = true;
    for (const auto& lane : lanes_) {
        counted = counted && lane.bond.link_failures;
        failures += lane.bond.link_failures.value_or(0);
    }
    const auto planned = question_.lanes ? at_least(static_cast<double>(*question_.lanes)) : no_limit;
    finding_.measure("lanes", static_cast<double>(up_.size()), unit::count, planned);
    if (counted) finding_.measure("link_failures", failures, unit::count);
    const auto members = static_cast<std::int64_t>(lanes_.size());
    if (members == 0) return found(fail("link.bond-lanes", "the bond {} has no member", name()));
    if (question_.lanes && members < *question_.lanes)
        found(fail("link.bond-lanes", "{} has {} of the {} planned lanes", name(), members, *question_.lanes));
}

// One is lost: it works on, unless as many are planned as there are.
void BondJudge::lost_lanes() {
    for (const auto& lane : lanes_) {
        if (lane.up()) continue;
        const bool planned = question_.lanes && static_cast<std::int64_t>(up_.size()) < *question_.lanes;
        Verdict lost = warn("link.member-down", "{} works without its member {}, which is {}", name(), lane.name(), lane.why_down());
        if (up_.empty()) lost.reason = fmt::format("no member of {} has its link: {} is {}", name(), lane.name(), lane.why_down());
        if (planned || up_.empty()) lost.outcome = Outcome::fail;
        found(std::move(lost), lane.name());
    }
}

void BondJudge::partner() {
    if (!bond_.lacp() || up_.empty()) return;
    const Lanes silent = [&] {
        Lanes some;
        std::copy_if(up_.begin(), up_.end(), std::back_inserter(some), [](const Lane* lane) { return lane->silent(); });
        return some;
    }();
    if (silent.size() == up_.size() || (nobody(bond_.partner_mac) && silent.empty()))
        return found(fail("link.bond-no-partner",
                          "nobody at the other end of {} speaks LACP (partner {}): {} {} carrier, and one of them at most carries "
                          "traffic",
                          name(), bond_.partner_mac.empty() ? "not told" : bond_.partner_mac, listed(names_of(up_)), have(up_)));
    if (!silent.empty())
        found(fail("link.bond-lane-silent", "on {} nobody speaks LACP, while the other end does on the other lanes of {}",
                   listed(names_of(silent)), name()),
              silent.front()->name());
}

void BondJudge::speeds() {
    const auto of = [](const Lane* lane) { return lane->seen->port ? lane->seen->port->speed.rate : std::nullopt; };
    if (up_.size() < 2 || bond_.mode == "active-backup" || !std::all_of(up_.begin(), up_.end(), of)) return;
    const auto [low, high] = std::minmax_element(up_.begin(), up_.end(), [&](const Lane* a, const Lane* b) { return *of(a) < *of(b); });
    if (*of(*low) == *of(*high)) return;
    Verdict differ =
        warn("link.bond-speeds", "{} negotiated {}, and {} {}: {}", (*low)->name(), units::show_rate(*of(*low)), (*high)->name(),
             units::show_rate(*of(*high)),
             bond_.lacp() ? "802.3ad lets only lanes of one speed carry traffic together" : "the slower lane holds the others up");
    if (bond_.lacp()) differ.outcome = Outcome::fail;
    found(std::move(differ), (*low)->name());
}

// Only one aggregator carries traffic.
void BondJudge::aggregators() {
    std::set<unsigned> ids;
    Lanes outside;
    for (const Lane* lane : up_) {
        if (!lane->bond.aggregator || lane->silent()) continue;
        ids.insert(*lane->bond.aggregator);
        if (*lane->bond.aggregator != bond_.aggregator.value_or(*ids.begin())) outside.push_back(lane);
    }
    if (!bond_.lacp() || outside.empty()) return;
    found(fail("link.bond-split",
               "{} {} not in the aggregator of {} that carries its traffic ({} instead of {}): the other end takes the lanes for "
               "links of different groups or machines",
               listed(names_of(outside)), outside.size() == 1 ? "is" : "are", name(), *outside.front()->bond.aggregator,
               bond_.aggregator.value_or(*ids.begin())),
          outside.front()->name());
}

// In the aggregator, and yet without traffic: one end has not agreed.
void BondJudge::churn() {
    for (const Lane* lane : bond_.lacp() ? up_ : Lanes{}) {
        const auto& [actor, partner] = std::pair(lane->bond.actor, lane->bond.partner);
        if (lane->silent() || (bond_.aggregator && lane->bond.aggregator != bond_.aggregator)) continue;
        const bool ours = actor ? !actor->in_sync() || !actor->collecting() || !actor->distributing() : lane->bond.actor_churn == "churned";
        const bool theirs =
            partner ? !partner->in_sync() || !partner->collecting() || !partner->distributing() : lane->bond.partner_churn == "churned";
        if (!ours && !theirs) continue;
        const std::string& word = theirs ? lane->bond.partner_churn : lane->bond.actor_churn;
        const std::string since = word == "churned"      ? ", for more than a minute"
                                  : word == "monitoring" ? ", for less than a minute: it may still come"
                                                         : "";
        found(fail("link.bond-churn", "{} is in the aggregator of {} and carries nothing{}: this end says {}, the other end says {}",
                   lane->name(), name(), since, actor ? actor->text() : "nothing", partner ? partner->text() : "nothing")
                  .with("side", theirs ? "the other end" : "this end"),
              lane->name());
    }
}

void BondJudge::mtus() {
    for (const auto& lane : lanes_) {
        const auto own = lane.seen->interface.mtu, of_bond = subject_->interface.mtu;
        if (own == of_bond || own == 0 || of_bond == 0) continue;  // 0: a captured tree does not hold it
        Verdict differ = fail("link.bond-mtu", "{} carries {} bytes, and its member {} {}: {}", name(), of_bond, lane.name(), own,
                              own < of_bond ? "larger frames are lost on that lane" : "the bond uses no more than its own");
        if (own > of_bond) differ.outcome = Outcome::warn;
        return found(std::move(differ), lane.name());
    }
}

void BondJudge::watch() {
    if (bond_.miimon == 0 && bond_.arp_interval == 0)
        found(warn("link.bond-unwatched", "{} watches neither carrier (miimon 0) nor ARP: a lane that dies is used on", name()));
}

Verdict BondJudge::passed() const {
    std::string how = bond_.mode == "active-backup" && !bond_.active.empty() ? ", " + bond_.active + " active" : "";
    if (bond_.lacp() && !bond_.partner_mac.empty()) how = ", one aggregator, with " + bond_.partner_mac;
    return pass("{}: {} lanes ({}), all with their link, {}{}, MTU {}", name(), lanes_.size(), listed(names_of(up_)), bond_.mode, how,
                subject_->interface.mtu);
}

std::string BondJudge::table() const {
    const auto told = [](const auto& value) { return value ? std::to_string(*value) : "not told"; };
    std::string text =
        fmt::format("{}: {} miimon={} arp_interval={} active={} aggregator={} partner={}\n", name(), bond_.mode, told(bond_.miimon),
                    told(bond_.arp_interval), bond_.active, bond_.aggregator ? std::to_string(*bond_.aggregator) : "none",
                    bond_.partner_mac.empty() ? "not told" : bond_.partner_mac);
    for (const auto& lane : lanes_)
        text += fmt::format(
            "{}: mii={} {} link-failures={} permanent-mac={} aggregator={} actor=({}) partner=({}) churn={}/{} mtu={}\n", lane.name(),
            lane.bond.mii,
            !lane.bond.in_backup   ? "not told"
            : *lane.bond.in_backup ? "backup"
                                   : "active",
            told(lane.bond.link_failures), lane.bond.permanent_mac, lane.bond.aggregator ? std::to_string(*lane.bond.aggregator) : "none",
            lane.bond.actor ? lane.bond.actor->text() : "not told", lane.bond.partner ? lane.bond.partner->text() : "not told",
            lane.bond.actor_churn, lane.bond.partner_churn, lane.seen->interface.mtu);
    return text;
}

Verdict BondJudge::verdict() {
    subject_ = &machine_.find(question_.interface);
    if (subject_->interface.kind != "bond") return no_bond(*subject_);
    if (!subject_->interface.up) return fail("link.down", "{} is switched off, so its lanes are not known", name());
    read();
    finding_.saw = fmt::format("{} of {} lanes up, {}", up_.size(), lanes_.size(), bond_.mode);
    count();
    if (up_.empty()) lost_lanes();
    partner();
    speeds();
    aggregators();
    churn();
    mtus();
    if (!up_.empty()) lost_lanes();
    watch();
    finding_.evidence = table();
    return all_.empty() ? passed() : worst_of(all_, finding_.saw);
}

Finding BondJudge::finding() {
    finding_.asked =
        "the lanes of the bond " + question_.interface + (question_.lanes ? fmt::format(", {} planned", *question_.lanes) : "");
    finding_.verdict = verdict();
    finding_.evidence += machine_.table();
    return std::move(finding_);
}

}  // namespace

Finding judge_bond(const BondQuestion& question, World& world) { return BondJudge(question, world).finding(); }

}  // namespace diag::link
