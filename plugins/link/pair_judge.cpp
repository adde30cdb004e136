#include "pair_judge.hpp"

#include <algorithm>

#include <diag/verdict.hpp>

#include "family.hpp"
#include "machine.hpp"

namespace diag::link {
namespace {

using probe::FecMode;

// One setting of both ends that is not the same, and who has to move.
struct Difference {
    std::string cause, words;  // words: "MTU 9000 bytes on node-a eth1, 1500 bytes on node-b eth1"
    std::string wanted;        // of the plan; else what the text says
    bool here_departs = false, there_departs = false;
    bool harmless = false;  // the link works all the same
};

std::string line(const EndState& end) { return to_json(end).dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

std::string name_of(const EndState& end) { return end.machine + " " + end.interface; }

class PairJudge {
  public:
    explicit PairJudge(const PairQuestion& question) : q_(question) {}
    Finding finding();

  private:
    Verdict verdict();
    void compare();
    void compare_fec();
    void compare_speed();
    void compare_duplex();
    void compare_mtu();
    void compare_autonegotiation();
    Verdict no_carrier(const char* cause, const EndState& mover) const;
    std::optional<Verdict> one_mac() const;
    Verdict missing(const EndState& end) const;
    Verdict differs() const;
    Verdict agrees() const;
    std::vector<std::string> not_compared_names() const;
    std::string saw() const;

    bool carrier() const { return q_.here.carrier && q_.there.carrier; }
    // Both values where both are known; else it is told that, and why, they are not compared.
    template <class T, class Show>
    bool both(const std::string& what, const Told<T>& here, const Told<T>& there, Show show);
    template <class T, class Departs>
    void note(const std::string& cause, const std::string& what, const std::string& here, const std::string& there,
              const std::optional<T>& plan, const std::string& wanted, Departs departs);
    // Why each end does not tell it; nothing for an end that does.
    void not_compared(const std::string& what, const std::optional<std::string>& here, const std::optional<std::string>& there);

    const PairQuestion& q_;
    WiringAnswer wiring_;
    std::vector<Difference> differences_;
    std::vector<std::string> same_;
    std::string half_known_fec_;                                 // one end tells it: what a link without carrier may suffer from
    std::vector<std::pair<std::string, std::string>> unjudged_;  // what, and why
};

void PairJudge::not_compared(const std::string& what, const std::optional<std::string>& here, const std::optional<std::string>& there) {
    const auto known = [](const std::string& why) { return why.empty() ? std::string("not known") : why; };
    if (here && there && *here == *there) {
        unjudged_.push_back({what, fmt::format("{} is not compared: {}, at both ends", what, known(*here))});
        return;
    }
    if (here) unjudged_.push_back({what, fmt::format("{} is not compared: {}: {}", what, name_of(q_.here), known(*here))});
    if (there) unjudged_.push_back({what, fmt::format("{} is not compared: {}: {}", what, name_of(q_.there), known(*there))});
}

template <class T, class Show>
bool PairJudge::both(const std::string& what, const Told<T>& here, const Told<T>& there, Show show) {
    const auto silent = [](const Told<T>& end) { return end.value ? std::nullopt : std::optional(end.why); };
    not_compared(what, silent(here), silent(there));
    if (!here.value || !there.value) return false;
    if (*here.value != *there.value) return true;
    same_.push_back(show(*here.value));
    return false;
}

// `departs(true)`: whether this end is not as planned, `departs(false)`: the far end; asked only where there is a plan.
template <class T, class Departs>
void PairJudge::note(const std::string& cause, const std::string& what, const std::string& here, const std::string& there,
                     const std::optional<T>& plan, const std::string& wanted, Departs departs) {
    Difference d{cause, fmt::format("{} {} on {}, {} on {}", what, here, name_of(q_.here), there, name_of(q_.there)), wanted};
    if (plan) {
        d.here_departs = departs(true);
        d.there_departs = departs(false);
    }
    differences_.push_back(std::move(d));
}

// A driver that has no FEC settings, or that chooses by itself, says nothing about the wire: neither the same nor different.
void PairJudge::compare_fec() {
    const auto silent = [](const EndState& end) -> std::optional<std::string> {
        if (end.fec == FecMode::automatic) return "the driver chooses, and does not say what";
        if (end.fec != FecMode::unreadable && end.fec != FecMode::unsupported) return std::nullopt;
        return std::string(to_text(end.fec)) + (end.fec_why.empty() ? "" : ", " + end.fec_why);
    };
    const auto here = silent(q_.here), there = silent(q_.there);
    not_compared("FEC", here, there);
    if (here.has_value() != there.has_value())
        half_known_fec_ = fmt::format("; FEC {} on {}, and {} on {}, may not be the same", to_text(q_.here.fec), name_of(q_.here),
                                      to_text(q_.there.fec), name_of(q_.there));
    if (here || there) return;
    const std::string mine(to_text(q_.here.fec)), theirs(to_text(q_.there.fec));
    if (mine == theirs) {
        same_.push_back("FEC " + mine);
        return;
    }
    const std::string wanted(q_.plan.fec ? to_text(*q_.plan.fec) : "the same at both ends");
    note("link.fec-differs", "FEC", mine, theirs, q_.plan.fec, wanted,
         [&](bool end_here) { return (end_here ? q_.here.fec : q_.there.fec) != *q_.plan.fec; });
}

// Across a switch the two may differ, as long as neither is below the plan.
void PairJudge::compare_speed() {
    const Told<Rate>&here = q_.here.speed, &there = q_.there.speed;
    if (!both("speed", here, there, [](Rate rate) { return units::show_rate(rate); })) return;
    const auto& plan = q_.plan.speed;
    const auto below = [&](const Told<Rate>& end) { return end.value->bits_per_second < plan->bits_per_second; };
    if (plan && !below(here) && !below(there)) {
        same_.push_back(fmt::format("{} and {}, {} are planned", units::show_rate(*here.value), units::show_rate(*there.value),
                                    units::show_rate(*plan)));
        return;
    }
    note("link.speed-differs", "speed", units::show_rate(*here.value), units::show_rate(*there.value), plan,
         plan ? units::show_rate(*plan) : "the higher of both", [&](bool end_here) { return below(end_here ? here : there); });
    differences_.back().harmless = !plan;  // a switch between them makes it right; a plan would say
}

void PairJudge::compare_duplex() {
    const auto &here = q_.here.duplex, &there = q_.there.duplex;
    if (!both("duplex", here, there, [](const std::string& word) { return word + " duplex"; })) return;
    const std::string wanted = q_.plan.duplex.value_or("full");  // nothing is meant to be half duplex
    note("link.duplex-differs", "duplex", *here.value, *there.value, std::optional(wanted), wanted,
         [&](bool end_here) { return (end_here ? here : there).value != wanted; });
}

void PairJudge::compare_mtu() {
    const auto &here = q_.here.mtu, &there = q_.there.mtu;
    if (!both("MTU", here, there, [](std::int64_t bytes) { return fmt::format("MTU {}", bytes); })) return;
    const auto& plan = q_.plan.mtu;
    note("link.mtu-differs", "MTU", fmt::format("{} bytes", *here.value), fmt::format("{} bytes", *there.value), plan,
         std::to_string(plan.value_or(std::max(*here.value, *there.value))),
         [&](bool end_here) { return *(end_here ? here : there).value != *plan; });
    differences_.back().harmless = plan && std::min(*here.value, *there.value) >= *plan;  // what was planned for passes
}

void PairJudge::compare_autonegotiation() {
    const auto word = [](bool on) { return on ? "on" : "off"; };
    const auto &here = q_.here.autonegotiation, &there = q_.there.autonegotiation;
    if (!both("autonegotiation", here, there, [&](bool on) { return fmt::format("autonegotiation {}", word(on)); })) return;
    const auto& plan = q_.plan.autonegotiation;
    note("link.autoneg-differs", "autonegotiation", word(*here.value), word(*there.value), plan, word(plan.value_or(true)),
         [&](bool end_here) { return *(end_here ? here : there).value != *plan; });
    differences_.back().harmless = carrier();
}

// What a link needs to come up stands first, what it works without stands last.  Without carrier a speed and a duplex are stale.
void PairJudge::compare() {
    compare_fec();
    if (carrier()) compare_speed();
    if (carrier()) compare_duplex();
    compare_autonegotiation();
    compare_mtu();
    std::stable_sort(differences_.begin(), differences_.end(), [](const auto& a, const auto& b) { return a.harmless < b.harmless; });
}

Verdict PairJudge::differs() const {
    const Difference& d = differences_.front();
    std::string reason = d.words;
    std::vector<const EndState*> who;
    if (d.here_departs) who.push_back(&q_.here);
    if (d.there_departs) who.push_back(&q_.there);
    if (who.empty())
        reason += "; the site file does not plan it, so either may be meant";
    else
        reason += fmt::format("; {} is planned, so {} has to move", d.wanted, name_of(*who.front()));
    if (who.size() == 2) reason += " and " + name_of(*who[1]) + " too";
    if (!carrier()) reason += "; the link has no carrier";
    for (std::size_t i = 1; i < differences_.size(); ++i) reason += "; also " + differences_[i].words;
    const EndState& mover = who.empty() ? q_.here : *who.front();
    const std::string machine = who.empty() ? q_.here.machine + "/" + q_.there.machine : mover.machine;
    const bool one_name = q_.here.interface == q_.there.interface || !who.empty();
    return (d.harmless ? warn(d.cause, "{}", reason) : fail(d.cause, "{}", reason))
        .with("machine", machine)
        .with("interface", one_name ? mover.interface : q_.here.interface + "/" + q_.there.interface)
        .with("wanted", d.wanted);
}

// `mover`: an end that is switched off, else one without carrier.
Verdict PairJudge::no_carrier(const char* cause, const EndState& mover) const {
    std::string reason;
    for (const auto* end : {&q_.here, &q_.there})
        if (!end->carrier)
            reason += fmt::format("{}{} {}", reason.empty() ? "" : ", ", name_of(*end), end->up ? "has no carrier" : "is switched off");
    for (const auto& d : differences_) reason += "; also " + d.words;
    if (std::string_view(cause) == "link.end-no-carrier") reason += half_known_fec_;
    return fail(cause, "{}", reason).with("machine", mover.machine).with("interface", mover.interface);
}

Verdict PairJudge::agrees() const {
    std::string text = fmt::format("{} and {} agree", name_of(q_.here), name_of(q_.there));
    for (std::size_t i = 0; i < same_.size(); ++i) text += (i == 0 ? ": " : ", ") + same_[i];
    text += "; " + wiring_.words;
    if (const auto names = not_compared_names(); !names.empty()) text += "; not compared: " + listed(names);
    return pass("{}", text);
}

Verdict PairJudge::missing(const EndState& end) const {
    return fail("link.end-absent", "{} is not there: {}", name_of(end), end.why)
        .with("machine", end.machine)
        .with("interface", end.interface);
}

// The wiring is proved by broadcast, which arrives all the same; what is for that MAC alone, a switch keeps.
std::optional<Verdict> PairJudge::one_mac() const {
    const std::string& mac = q_.here.mac;
    if (mac != q_.there.mac || !own_mac(mac)) return std::nullopt;
    return fail("link.mac-twice", "{} and {} have one MAC, {}", name_of(q_.here), name_of(q_.there), mac).with("mac", mac);
}

Verdict PairJudge::verdict() {
    for (const auto* end : {&q_.here, &q_.there}) {
        if (end->presence == EndState::Presence::unreadable) throw Unknown(fmt::format("{} cannot be read: {}", name_of(*end), end->why));
        if (end->presence == EndState::Presence::absent) return missing(*end);
    }
    if (wiring_.wiring != Wiring::elsewhere) compare();
    for (const auto* end : {&q_.here, &q_.there})
        if (!end->up) return no_carrier("link.end-down", *end);  // it would not hear its own cable either
    if (auto twice = one_mac()) return *twice;
    if (wiring_.wiring == Wiring::elsewhere)
        return fail("link.wired-elsewhere", "{}", wiring_.words)
            .with("machine", q_.there.machine)
            .with("interface", q_.there.interface)
            .with("found", wiring_.found);
    const bool why = !differences_.empty() && (carrier() || differences_.front().cause != "link.mtu-differs");
    if (why) return differs();
    return carrier() ? agrees() : no_carrier("link.end-no-carrier", q_.here.carrier ? q_.there : q_.here);
}

std::vector<std::string> PairJudge::not_compared_names() const {
    std::vector<std::string> names;
    for (const auto& [what, why] : unjudged_)
        if (std::find(names.begin(), names.end(), what) == names.end()) names.push_back(what);
    return names;
}

// Of what was not compared, the report has the names and the evidence the reasons.
std::string PairJudge::saw() const {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    for (const auto& d : differences_) add(d.words);
    for (const auto& part : same_) add("both " + part);
    if (const auto names = not_compared_names(); !names.empty()) add("not compared: " + listed(names));
    add(wiring_.words);
    return text;
}

Finding PairJudge::finding() {
    Finding finding;
    finding.asked = fmt::format("whether {} and {} agree, and hear each other", name_of(q_.here), name_of(q_.there));
    wiring_ = judge_wiring(q_.here, q_.there, q_.heard);
    finding.verdict = verdict();
    finding.saw = saw();
    finding.evidence = line(q_.here) + line(q_.there);
    for (const auto& [what, why] : unjudged_) finding.evidence += why + "\n";
    return finding;
}

}  // namespace

Finding judge_pair(const PairQuestion& question) { return PairJudge(question).finding(); }

}  // namespace diag::link
