#include "state_judge.hpp"

#include <algorithm>

#include "adapter.hpp"
#include "speed.hpp"

namespace diag::link {
namespace {

using Judged = std::optional<Verdict>;

constexpr std::chrono::milliseconds watched{250};
constexpr double errors_per_second = 10;  // at 200 Gbit/s a bit error rate of 1e-12, a cable's usual bound, makes 0.2

class StateJudge {
  public:
    StateJudge(const StateQuestion& question, World& world)
        : question_(question), world_(world), adapter_(question.mac, question.path), machine_(world) {}
    Finding finding();

  private:
    Verdict verdict();
    Verdict missing(const std::string& error) const;
    Judged another_adapter() const;
    Judged no_carrier() const;
    Judged lost_member() const;
    Judged slower();
    Judged growing_errors();
    void describe();
    std::string speed_words() const;
    Verdict passed() const;

    const probe::Interface& link() const { return subject_->interface; }
    bool half_duplex() const { return subject_->port && !subject_->wireless() && subject_->port->duplex == "half"; }

    const StateQuestion& question_;
    World& world_;
    Adapter adapter_;
    Machine machine_;
    const Seen* subject_ = nullptr;
    LinkSpeed speed_;
    Finding finding_;
};

std::string state_word(const probe::Interface& interface) {
    return !interface.up ? "switched off" : interface.carrier ? "carrier" : "no carrier";
}

// What a person can choose from: hardware first, loopback never.
std::string choice(const Machine& machine) {
    std::vector<std::string> hardware, others;
    for (const auto& seen : machine.all())
        if (!seen.interface.loopback)
            (seen.hardware() ? hardware : others).push_back(fmt::format("{} ({})", seen.interface.name, state_word(seen.interface)));
    constexpr std::size_t shown = 12;
    hardware.insert(hardware.end(), others.begin(), others.end());
    const std::size_t more = hardware.size() - std::min(hardware.size(), shown);
    hardware.resize(hardware.size() - more);
    if (hardware.empty()) return "there is none but loopback";
    return "there are " + listed(hardware) + (more > 0 ? fmt::format(" (and {} more)", more) : "");
}

Verdict StateJudge::missing(const std::string& error) const {
    if (!adapter_.given()) return fail("link.absent", "{}; {}", error, choice(machine_));
    if (const Seen* now = adapter_.find(machine_))
        return fail("link.renamed", "no interface {} here: the adapter {} is called {} now", question_.interface, adapter_.words(),
                    now->interface.name)
            .with("found", now->interface.name);
    return fail("link.absent", "{}, and no adapter {} either; {}", error, adapter_.words(), choice(machine_));
}

Judged StateJudge::another_adapter() const {
    if (!adapter_.given() || adapter_.differs(*subject_) != true) return std::nullopt;
    const Seen* planned = adapter_.find(machine_);
    return fail("link.other-adapter", "{} is another adapter than planned ({}); the one {} {}", link().name, lasting_key(*subject_),
                adapter_.words(), planned != nullptr ? "is called " + planned->interface.name + " now" : "is not here")
        .with("found", planned != nullptr ? planned->interface.name : "none");
}

Judged StateJudge::no_carrier() const {
    if (link().carrier) return std::nullopt;
    std::string below;
    for (const Seen* member : machine_.members_of(*subject_))
        below += fmt::format("; {}: {}", member->interface.name, state_word(member->interface));
    const Seen* lower = link().kind == "veth" ? nullptr : machine_.find(link().lower);
    if (lower != nullptr) below += fmt::format("; it stands on {}: {}", lower->interface.name, state_word(lower->interface));
    if (const Seen* other = machine_.carrier_elsewhere(*subject_))
        return fail("link.carrier-elsewhere",
                    "{} has no carrier, while {}, which has no address, has: the cable is in the other one, or "
                    "the other one is the link's{}",
                    link().name, other->interface.name, below)
            .with("found", other->interface.name);
    return fail("link.no-carrier", "{} is switched on and has no carrier (operstate {}){}", link().name, link().operstate, below);
}

// A bond works on with fewer members, and is slower and less safe than planned.
Judged StateJudge::lost_member() const {
    if (link().kind != "bond") return std::nullopt;
    for (const Seen* member : machine_.members_of(*subject_))
        if (!member->interface.carrier)
            return warn("link.member-down", "{} works without its member {}, which is {}", link().name, member->interface.name,
                        member->interface.up ? "without carrier" : "switched off")
                .with("member", member->interface.name);
    return std::nullopt;
}

std::string StateJudge::speed_words() const {
    if (!speed_.rate) return "its speed is not judged: " + speed_.words;
    return units::show_rate(*speed_.rate) + (speed_.words.empty() ? "" : " " + speed_.words);
}

Judged StateJudge::slower() {
    speed_ = speed_of(machine_, *subject_, world_.root());
    if (!speed_.rate && speed_.should_know && question_.speed)
        return warn("link.speed-unknown", "{} has carrier, and its speed is not known: {}; {} are planned", link().name, speed_.words,
                    units::show_rate(*question_.speed));
    if (!speed_.rate) return std::nullopt;
    const auto limit = question_.speed ? at_least(static_cast<double>(question_.speed->bits_per_second)) : no_limit;
    if (finding_.measure("speed", static_cast<double>(speed_.rate->bits_per_second), unit::bit_per_s, limit)) return std::nullopt;
    const std::string difference =
        fmt::format("{} negotiated {}, {} are planned", link().name, speed_words(), units::show_rate(*question_.speed));
    if (const Judged lost = lost_member())
        return fail(lost->cause, "{}; {}", difference, lost->reason).with("member", lost->values["member"]);
    return fail("link.slower", "{}", difference);
}

std::optional<std::uint64_t> errors(const probe::Interface& interface) {
    if (!interface.counters) return std::nullopt;
    return interface.counters->rx_errors + interface.counters->tx_errors;
}

Judged StateJudge::growing_errors() {
    const auto before = errors(link());
    if (!before) return std::nullopt;
    world_.wait(watched);
    const auto after = errors(world_.interface(link().name));
    if (!after || *after < *before) return std::nullopt;  // a driver that was loaded anew starts at zero
    const double seconds = std::chrono::duration<double>(watched).count(), growth = static_cast<double>(*after - *before) / seconds;
    if (finding_.measure("errors_growing", growth, "1/s", at_most(errors_per_second))) return std::nullopt;
    return warn("link.errors-growing", "errors of {} grow by {:.0f} a second ({} since boot)", link().name, growth, *after);
}

// What was seen of the subject, whatever the verdict: values without a limit, and what a resume compares.
void StateJudge::describe() {
    if (link().mtu > 0) finding_.measure("mtu", static_cast<double>(link().mtu), unit::bytes);
    if (const auto& c = link().counters)
        for (const auto& [name, value] : {std::pair("rx_errors", c->rx_errors), std::pair("tx_errors", c->tx_errors),
                                          std::pair("rx_dropped", c->rx_dropped), std::pair("tx_dropped", c->tx_dropped)})
            finding_.measure(name, static_cast<double>(value), unit::count);
    if (link().carrier_changes) finding_.measure("carrier_changes", *link().carrier_changes, unit::count);
    finding_.saw = fmt::format("{}: {}, operstate {}", link().name, state_word(link()), link().operstate);
    if (link().counters) finding_.saw += fmt::format("; {} errors since boot", *errors(link()));
    const std::string key = lasting_key(*subject_);
    if (key.empty()) return;  // a virtual interface has nothing that survives a reboot
    finding_.facts.emplace_back("adapter " + key + " interface", link().name);
    if (!subject_->port) return;
    finding_.facts.emplace_back("adapter " + key + " path", subject_->port->pci);
    finding_.facts.emplace_back("adapter " + key + " driver", subject_->port->driver);
}

Verdict StateJudge::passed() const {
    std::string more;
    if (link().name != question_.interface) more += fmt::format(" ({} is another name of it)", question_.interface);
    if (const auto& port = subject_->port; port && !port->duplex.empty() && port->duplex != "unknown")
        more += ", " + port->duplex + " duplex";
    more += link().mtu > 0 ? fmt::format(", MTU {}", link().mtu) : ", MTU not told";
    if (const Seen* master = machine_.master_of(*subject_))
        more += fmt::format(", member of {} {}", master->interface.kind, master->interface.name);
    if (const auto& port = subject_->port; port && !port->driver.empty())
        more += ", " + port->driver + (port->pci.empty() ? "" : " at " + port->pci);
    return pass("{} has carrier, {}{}", link().name, speed_words(), more);
}

Verdict StateJudge::verdict() {
    try {
        subject_ = &machine_.find(question_.interface);
    } catch (const Absent& e) {
        return missing(e.what());
    }
    describe();
    if (auto judged = another_adapter()) return *judged;
    if (!link().up) return fail("link.down", "{} is switched off, so its carrier and speed are not known", link().name);
    if (auto judged = no_carrier()) return *judged;
    if (link().operstate == "dormant")
        return fail("link.dormant", "{} has carrier, and waits to be let in (operstate dormant)", link().name);
    if (half_duplex()) return fail("link.half-duplex", "{} negotiated half duplex", link().name);
    if (auto judged = slower()) return *judged;
    if (auto judged = lost_member()) return *judged;
    if (auto judged = growing_errors()) return *judged;
    // Without its name, so that a report can say it once for many.
    if (question_.speed && !speed_.rate) return skip("it has carrier; its speed is not judged: {}", speed_.words);
    return passed();
}

Finding StateJudge::finding() {
    finding_.asked = "carrier" + (question_.speed ? " and " + units::show_rate(*question_.speed) : "") + " on " + question_.interface;
    finding_.verdict = verdict();
    finding_.evidence = machine_.table();
    return std::move(finding_);
}

}  // namespace

Finding judge_state(const StateQuestion& question, World& world) { return StateJudge(question, world).finding(); }

}  // namespace diag::link
