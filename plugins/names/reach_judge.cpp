#include "reach_judge.hpp"

#include <fmt/format.h>

#include "causes.hpp"
#include "echo_stats.hpp"
#include "rate_limit.hpp"
#include "reach_subjects.hpp"
#include "silence.hpp"

namespace diag::names {

namespace {

// Linux asks three times for a neighbour, a second apart, before it says that a host is unreachable (mcast_solicit and retrans_time_ms
// in Documentation/networking/ip-sysctl.rst).
constexpr std::chrono::milliseconds router_gives_up{3500};

void add_readings(const EchoStats& stats, const std::string& suffix, const Limit& limit, std::vector<Reading>& readings) {
    readings.push_back({"loss" + suffix, stats.loss(), unit::fraction, limit});
    if (stats.received == 0) return;
    readings.push_back({"rtt_min" + suffix, stats.min, unit::milliseconds, no_limit});
    readings.push_back({"rtt_avg" + suffix, stats.average, unit::milliseconds, no_limit});
    readings.push_back({"rtt_max" + suffix, stats.max, unit::milliseconds, no_limit});
}

// One address, from its probes to what they come to.
struct Probed {
    EchoRun run;
    EchoStats stats;
    Silenced told{};
    std::string evidence{};
};

// It answers whatever is plugged in: nothing leaves this machine.
Verdict own_address(const probe::Address& address) {
    return fail("names.own-address", "{} is an address of this machine itself, so its answers say nothing of any other", address.text())
        .with("found", address.text());
}

Silenced judge_run(Probed& probed, const ReachQuestion& question, World& world) {
    const auto& [run, stats, told, evidence] = probed;
    const auto route = world.route(run.address);
    if (route && route->local) return {own_address(run.address), ""};
    // Probes bound to an interface pass by a route that refuses; programs do not.
    if (!route)
        return {fail("names.no-route", "no route of this machine leads to {}, so no program here can use it{}", run.address.text(),
                     world.source_rule(run.address, route)),
                ""};
    if (stats.received == 0) return explain_silence(run, question, world, probed.evidence);
    if (stats.loss() > question.max_loss && rate_limited(run, question.plan, world, probed.evidence))
        return {
            warn("names.echo-limited", "{} lost {} of {} probes after a burst, and none of those that came a second apart: a rate limit",
                 run.address.text(), stats.sent - stats.received, stats.sent),
            ""};
    if (stats.loss() > question.max_loss)
        return {fail("names.loss", "{} lost {} of {} probes", run.address.text(), stats.sent - stats.received, stats.sent), ""};
    if (run.duplicates > 0)
        return {warn("names.duplicates", "{} answered {} probes more than once", run.address.text(), run.duplicates), ""};
    return {pass("{}: {}", run.address.text(), summary(stats)), ""};
}

// Probes them all, and then looks at each: side by side, as a silent one takes seconds to be explained.
std::vector<Probed> probe_all(const std::vector<probe::Address>& addresses, const ReachQuestion& question, World& world) {
    EchoPlan plan = question.plan;
    plan.late_word = router_gives_up;
    std::vector<Probed> all;
    for (auto& run : world.echo(addresses, plan)) {
        const EchoStats stats = stats_of(run, question.plan.timeout);
        all.push_back({std::move(run), stats});
    }
    world.each(all.size(), [&](std::size_t i) { all[i].told = judge_run(all[i], question, world); });
    return all;
}

// A pass gathers all addresses; otherwise the worst verdict is told, of equal ones the first.
void merge(Verdict& whole, Verdict part) {
    const auto weight = [](const Verdict& v) { return v.outcome == Outcome::fail ? 2 : v.outcome == Outcome::warn ? 1 : 0; };
    if (whole.reason.empty() || weight(part) > weight(whole))
        whole = std::move(part);
    else if (weight(part) == 0 && weight(whole) == 0)
        whole.reason += "; " + part.reason;
}

// One address is silent and another of the same name answers: then the machine is on.
void tell_of_the_living(Verdict& verdict, const std::string& living) {
    if (verdict.cause != "names.no-neighbour" || living.empty()) return;
    verdict.reason += fmt::format(
        "; but {} of the same name answers, so the machine is on: the address is missing there, belongs to no "
        "machine any more, or its neighbour discovery is filtered",
        living);
}

// An address that answered ARP or neighbour discovery, and no echo.
struct Heard {
    probe::Address address;
    std::string interface;
};

const char* neighbour_protocol(const probe::Address& address) { return address.v6() ? "neighbour discovery" : "ARP"; }

// Nobody answers at one address, and another of the same name was heard on that link: then the machine is on and cabled,
// and what is missing is dropped there or here, or was never given to it.  Nobody has to look after a cable.
bool tell_of_the_heard(Verdict& verdict, const std::vector<Heard>& all) {
    if (verdict.cause != "names.no-neighbour") return false;
    const std::string output = verdict.values["output"];
    for (const auto& heard : all) {
        if (heard.interface != output) continue;
        verdict = fail("names.silent",
                       "{}; but {} of the same name answers {} there, so the machine is on and cabled: a firewall drops the rest, or it "
                       "does not have the address",
                       verdict.reason, heard.address.text(), neighbour_protocol(heard.address));
        return true;
    }
    return false;
}

// What the addresses come to together.  One that is dropped like the rest of its machine says less than the rest does.
Verdict whole_of(std::vector<Verdict> verdicts, const std::vector<Heard>& heard) {
    Verdict whole;
    std::vector<Verdict> dropped;
    for (auto& verdict : verdicts) {
        if (!tell_of_the_heard(verdict, heard))
            merge(whole, std::move(verdict));
        else
            dropped.push_back(std::move(verdict));
    }
    for (auto& verdict : dropped)
        if (whole.outcome == Outcome::fail && !whole.reason.empty())
            whole.reason += "; " + verdict.reason;
        else
            merge(whole, std::move(verdict));
    return whole;
}

// What is said of the addresses that were not probed: those without a route, and those beyond the bound.
void tell_of_the_unprobed(const Subjects& subjects, const std::string& name, World& world, Finding& finding,
                          std::vector<Verdict>& verdicts) {
    for (const auto& address : subjects.unrouted) {
        finding.evidence += address.text() + ": no route, not probed\n";
        finding.saw += "; " + address.text() + ": no route, not probed";
        if (auto verdict = unroutable(world, name, address)) verdicts.push_back(std::move(*verdict));
    }
    if (subjects.more == 0) return;
    finding.saw += fmt::format("; {} more addresses, not probed", subjects.more);
    verdicts.push_back(warn("names.too-many", "{} has {} addresses: {} of them were probed, the other {} were not", name,
                            subjects.addresses.size() + subjects.more, subjects.addresses.size(), subjects.more));
}

// An echo that is filtered, limited or cannot be asked for, of a host that is alive.
bool no_loss_of_the_link(const Verdict& verdict) { return verdict.outcome == Outcome::warn && verdict.cause != "names.duplicates"; }

std::string asked(const ReachQuestion& question, const Subjects& subjects, bool udp) {
    const auto& interface = question.plan.interface;
    const std::string whose = subjects.more > 0 ? fmt::format("{} addresses", subjects.addresses.size()) : "every address";
    return fmt::format("{} {} probes to {} of {}{}", question.plan.count, udp ? "UDP" : "echo", whose,
                       question.name.value_or(question.address.value_or("")), interface.empty() ? "" : " over " + interface);
}

Finding judge_addresses(const Subjects& subjects, const ReachQuestion& question, World& world) {
    Finding finding;
    std::string living;
    bool udp = false;
    std::vector<Verdict> verdicts;
    std::vector<Heard> heard;
    for (auto& [run, stats, told, evidence] : probe_all(subjects.addresses, question, world)) {
        finding.evidence += describe(run) + evidence;
        finding.saw += (finding.saw.empty() ? "" : "; ") + run.address.text() + ": " + summary(stats);
        const Limit limit = no_loss_of_the_link(told.verdict) ? no_limit : at_most(question.max_loss);
        add_readings(stats, subjects.addresses.size() > 1 ? "[" + run.address.text() + "]" : "", limit, finding.readings);
        verdicts.push_back(std::move(told.verdict));
        if (!told.heard_on.empty()) heard.push_back({run.address, told.heard_on});
        if (stats.received > 0) living = run.address.text();
        udp = udp || run.method == probe::EchoMethod::udp;
    }
    finding.asked = asked(question, subjects, udp);
    tell_of_the_unprobed(subjects, question.name.value_or(""), world, finding, verdicts);
    finding.verdict = whole_of(std::move(verdicts), heard);
    tell_of_the_living(finding.verdict, living);
    return finding;
}

}  // namespace

Finding judge_reach(const ReachQuestion& question, World& world) {
    Subjects subjects;
    auto early = find_addresses(question, world, subjects);
    if (!early) return judge_addresses(subjects, question, world);
    Finding finding;
    finding.asked = asked(question, subjects, false);
    finding.saw = early->reason;
    finding.verdict = std::move(*early);
    return finding;
}

}  // namespace diag::names
