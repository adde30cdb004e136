#include "bulk_judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace diag::bulk {
namespace {

constexpr double full_core = 90;  // percent of a core that count as all of it: the scheduler and the test's own ends take the rest
// A core that has not this much for its one thread is slowed by something else, such as a long firewall.  iperf3 3.12 carried 28 Gbit/s
// over loopback with a core of an EPYC of 2023; a fifth of that leaves room for slower ones, for adapters and for frames of 1500 bytes.
constexpr double every_core_can = 5e9;
constexpr double full_softirq = 0.9;  // share of one processor's time
// A processor without time left was a limit of the load where this much of it went into receiving: less is what any traffic takes.
constexpr double shared_softirq = 0.3, full_processor = 0.95;
constexpr double kept_waiting = 0.1;  // share of the time; short waits are part of any sharing
constexpr double slows_down = 0.05;   // share of lost segments; a full queue at a slow place loses a few percent by itself
constexpr double least_judged = 1e6;  // bytes: below, other traffic would decide which interface was used

std::string rate(double bits_per_second) { return units::show_rate({std::llround(bits_per_second)}); }
std::string way(const Flow& flow) { return flow.reverse ? "back" : "there"; }

Verdict known(const Findings& f, Verdict verdict) {
    const json values = {{"name", f.name}, {"address", f.address}, {"source", f.source}, {"interface", f.interface}, {"port", f.port}};
    for (const auto& [key, value] : values.items())
        if (!verdict.values.contains(key)) verdict.values[key] = value;
    return verdict;
}

// Whoever drops it, this machine's output or input or the peer's, looks the same from here.
Verdict no_answer(const Findings& f, const std::string& said) {
    const std::string whose = f.served_by_half ? ", where the other half serves," : "";
    return fail("link.bulk-no-answer", "TCP port {} of {}{} does not answer ({})", f.port, f.peer, whose, said)
        .with("ports", f.served_by_half ? json{"to", "any", "port"} : json{"port", f.port});
}

// Of an error in iperf3's words.
std::optional<Verdict> of_error(const Findings& f, const Flow& flow) {
    const std::string said = base::printable(flow.report.error);
    const auto ran = static_cast<double>(flow.report.intervals.size());
    switch (flow.report.end) {
        case End::refused:
            return fail("link.bulk-no-server", "nothing listens on TCP port {} of {} ({})", f.port, f.peer, said);
        case End::busy:
            return fail("link.bulk-busy", "the iperf3 server on {} serves somebody else", f.peer);
        case End::unroutable:
            return fail("link.bulk-unroutable", "{} cannot be reached from {}: {}", f.peer, f.source, said);
        case End::unanswered:
            return no_answer(f, said);
        case End::broken:
            return fail("link.bulk-broken", "the test {} broke off after {} report{}: {}", way(flow), ran, ran == 1 ? "" : "s", said);
        case End::other:
            throw Unknown("iperf3 ended with an error that this check does not know: " + said);
        case End::finished:
        case End::terminated:
            break;
    }
    return std::nullopt;
}

std::optional<Verdict> of_a_stall(const Flow& flow) {
    const Report& r = flow.report;
    if (!r.stalled()) return std::nullopt;
    if (r.end == End::terminated)
        return fail("link.bulk-stalled", "the test {} did not end by itself; nothing was carried in its last {:.0f} s", way(flow),
                    r.silent_at_the_end());
    return fail("link.bulk-stalled", "{} was sent {}, and nothing was received, though the connection stood", rate(r.sent), way(flow));
}

// iperf3 from 3.16 on finishes with a rate, and without an error, though every one of its connections was reset in the middle.
std::optional<Verdict> of_a_stop(const Findings& f, const Flow& flow) {
    constexpr double block = 8 * 131072;  // bits that iperf3 counts at once (its DEFAULT_TCP_BLKSIZE)
    const Report& r = flow.report;
    const double silent = r.silent_at_the_end();
    double carried = 0, flowed = -silent;
    for (const Interval& i : r.intervals) {
        carried += i.seconds * i.bits_per_second;
        flowed += i.seconds;
    }
    // What flows so slowly that a second may pass between two blocks has not stopped.
    const double missing = flowed > 0 ? carried / flowed * silent : 0;
    if (r.end != End::finished || silent <= 0 || missing < 16 * block * static_cast<double>(f.streams)) return std::nullopt;
    return fail("link.bulk-broken", "the test {} carried {} for {:.0f} s, and nothing in its last {:.0f} s; iperf3 {} reports no error",
                way(flow), rate(carried / flowed), flowed, silent, r.version);
}

// The bytes went by another interface than the one that is meant.
std::optional<Verdict> of_a_detour(const Findings& f, const Flow& flow) {
    const auto carried_by = [&](const probe::Traffic& t) { return static_cast<double>(flow.reverse ? t.received : t.sent); };
    // What was sent into a socket's buffer and never left it went no way at all: a slow link has much of that.
    const Report& r = flow.report;
    const double moved = r.sent > r.received ? r.bytes * (r.received / r.sent) : r.bytes;
    double meant = 0, most = 0;
    std::string other;
    for (const auto& t : flow.carried) {
        if (f.own.count(t.interface) != 0) {
            meant = std::max(meant, carried_by(t));
        } else if (carried_by(t) > most) {
            most = carried_by(t);
            other = t.name;
        }
    }
    if (moved < least_judged || meant >= 0.9 * moved || most < 0.1 * moved) return std::nullopt;
    return fail("link.bulk-other-interface", "{:.0f} % of the bytes {} went over {}, {:.0f} % over {}, which is meant",
                100 * std::min(1.0, most / moved), way(flow), other, 100 * meant / moved, f.interface)
        .with("other", other);
}

// One end's iperf3, and the machine under it.
struct Side {
    std::string where, version;  // "here", "on node-b"
    std::optional<double> cpu;   // percent of one core
    std::optional<double> idle;  // cores that had nothing to do
    double most_threads = 1;

    bool one_thread() const { return single_threaded(version); }
    double used() const { return cpu.value_or(0) / (one_thread() ? 1 : most_threads); }
    bool full() const { return used() >= full_core; }
    // Whether another version could do more: half a core is more than what connecting and closing leave idle.
    bool has_more() const { return one_thread() && idle.value_or(1) >= 0.5; }
    std::string shown_version() const { return version.empty() ? "of unknown version" : version; }
    std::string cores() const {
        return one_thread() ? "the one core that iperf3 " + shown_version() + " uses" : "the cores that it can use";
    }
};

// A server that somebody started does not tell its version: it is taken for one like the client's.
std::array<Side, 2> sides(const Findings& f, const Flow& flow) {
    const Report& r = flow.report;
    const auto streams = static_cast<double>(f.streams);
    return {Side{"here", r.version, r.cpu_here, flow.idle_here, std::min<double>(streams, f.processors)},
            Side{"on " + f.name, f.version_there.empty() ? r.version : f.version_there, r.cpu_there, f.idle_there, streams}};
}

bool slow(const Findings& f, const Flow& flow) { return f.floor && flow.report.received < f.floor->bits_per_second; }
bool lossy(const Findings& f, const Flow& flow) { return flow.report.lost_share().value_or(0) > f.max_retransmits; }

std::string losses(const Flow& flow) {
    const auto share = flow.report.lost_share();
    return share ? fmt::format("{:.2g} % of the segments {} had to be sent again", 100 * *share, way(flow)) : "";
}

std::string against_floor(const Findings& f, const Flow& flow) {
    return fmt::format("{}: {}, the floor is {}: {}", way(flow), rate(flow.report.received), rate(f.floor->bits_per_second),
                       f.floor->words);
}

// A direction that measured a thread says nothing; one that measured the link does.
Verdict too_slow(const Findings& f, std::vector<const Flow*> slow_ones) {
    const Flow& first = *slow_ones.front();
    const std::string thread = one_thread(f, first, f.floor->bits_per_second);
    const auto unmeasured = std::remove_if(slow_ones.begin(), slow_ones.end(),
                                           [&](const Flow* flow) { return !one_thread(f, *flow, f.floor->bits_per_second).empty(); });
    slow_ones.erase(unmeasured, slow_ones.end());
    if (slow_ones.empty()) throw Unknown(fmt::format("{}; {}", against_floor(f, first), thread));
    const Flow& one = *slow_ones.front();
    const std::string against = against_floor(f, one);
    if (f.rated && f.floor->bits_per_second > static_cast<double>(f.rated->bits_per_second))
        return fail("link.bulk-floor-too-high", "{}; {} is a link of {}", against, f.interface, units::show_rate(*f.rated));
    if (const std::string who = starved(f, one); !who.empty())
        return fail("link.bulk-cpu-bound", "{}; {}, so the link was not shown to be slow", against, who);
    if (one.report.lost_share().value_or(0) > slows_down) return fail("link.bulk-lossy", "{}; {}", against, losses(one));
    if (slow_ones.size() == 1)
        return fail("link.bulk-slow-one-way", "one way is slow, {}", against).with("direction", one.reverse ? "from" : "to");
    return fail("link.bulk-slow", "both ways are slow, {}; {}: {}", against, way(*slow_ones[1]), rate(slow_ones[1]->report.received));
}

// A link that comes and goes explains whatever was measured on it, and no rate makes it good.
std::optional<Verdict> flapped(const Findings& f) {
    if (f.lost.empty() || f.flows.empty()) return std::nullopt;
    const Report& last = f.flows.back().report;
    if (last.end == End::refused || last.end == End::busy) return std::nullopt;  // there was no load
    std::string losses;
    for (const auto& loss : f.lost) losses += words_of(loss) + "; ";
    return fail("link.bulk-flapped", "{}{}", losses, last.error.empty() ? summary(f) : base::printable(last.error))
        .with("where", f.lost.front().machine.empty() ? json{"this", "machine"} : json(f.lost.front().machine))
        .with("interface", f.lost.front().interface);
}

std::string average(const std::vector<double>& times) {
    const double mean = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
    return mean < 10 ? fmt::format("{:.2g} ms", mean) : fmt::format("{:.0f} ms", mean);
}

// Idle beside loaded: what a full queue on the way adds.
std::string latency(const Findings& f) {
    std::vector<double> loaded;
    for (const Flow& flow : f.flows) loaded.insert(loaded.end(), flow.echoes.round_trips.begin(), flow.echoes.round_trips.end());
    const auto& idle = f.idle.round_trips;
    if (!f.no_echo.empty()) return "no echo could be sent";
    if (idle.empty() && loaded.empty()) return "no echo was answered";
    if (idle.empty()) return fmt::format("round trip {} under load, and no echo was answered before it", average(loaded));
    if (loaded.empty()) return fmt::format("round trip {} idle, and no echo was answered under load", average(idle));
    return fmt::format("round trip {} idle, {} under load", average(idle), average(loaded));
}

}  // namespace

std::string starved(const Findings& f, const Flow& flow) {
    for (const Side& side : sides(f, flow))
        if (side.full()) return fmt::format("iperf3 {} had {:.0f} % of {}", side.where, side.used(), side.cores());
    if (flow.softirq.share >= full_softirq)
        return fmt::format("{} of this machine spent {:.0f} % of its time on receiving (softirq)", flow.softirq.name,
                           100 * flow.softirq.share);
    if (flow.softirq.share >= shared_softirq && flow.softirq.busy >= full_processor)
        return fmt::format("{} of this machine had no time left: {:.0f} % of it went into receiving (softirq), the rest into other work",
                           flow.softirq.name, 100 * flow.softirq.share);
    if (flow.thread.wanted() >= full_core / 100 && flow.thread.waited >= kept_waiting)
        return fmt::format("iperf3 here waited {:.0f} % of the time for a processor that other work had", 100 * flow.thread.waited);
    return "";
}

std::string one_thread(const Findings& f, const Flow& flow, double needed) {
    if (needed <= every_core_can) return "";
    for (const Side& side : sides(f, flow)) {
        if (!side.full()) continue;
        if (!side.has_more()) return "";
        const std::string idle = side.idle ? fmt::format(", while {:.1f} other cores were idle", *side.idle) : "";
        return fmt::format(
            "not measurable here: iperf3 {} {} serves all streams from one thread, and {} is what that core carries ({:.0f} % "
            "of it used{}); next: iperf3 3.16 or later {}",
            side.shown_version(), side.where, rate(flow.report.received), side.used(), idle, side.where);
    }
    return "";
}

std::set<unsigned> same_bytes(const probe::Interface& meant, const std::vector<probe::Interface>& all) {
    std::set<unsigned> own{meant.index};
    const auto related = [&](const probe::Interface& a) {
        // A veth's lower interface is its other end, which may be in the same namespace.
        const unsigned lower = a.kind == "veth" ? 0 : a.lower;
        for (const auto& b : all) {
            if (own.count(b.index) == 0) continue;
            const bool below = b.kind != "veth" && b.lower == a.index;
            if (below || b.master == a.index || (b.index == meant.index && a.master == b.index) ||
                (own.count(lower) != 0 && a.kind == "vlan"))
                return true;
        }
        return false;
    };
    for (bool grown = true; grown;) {
        grown = false;
        for (const auto& each : all)
            if (own.count(each.index) == 0 && related(each)) grown = own.insert(each.index).second;
    }
    return own;
}

std::optional<Verdict> trouble(const Findings& f, const Flow& flow) {
    auto verdict = of_error(f, flow);
    if (!verdict) verdict = of_a_stall(flow);
    if (!verdict) verdict = of_a_stop(f, flow);
    if (!verdict && !flow.report.summed) throw Unknown("iperf3 ended without an error and without sums that could be");
    if (!verdict) verdict = of_a_detour(f, flow);
    if (!verdict) return std::nullopt;
    return known(f, std::move(*verdict));
}

Verdict decide(const Findings& f) {
    if (auto verdict = flapped(f)) return known(f, std::move(*verdict));
    std::vector<const Flow*> slow_ones;
    for (const Flow& flow : f.flows) {
        if (auto verdict = trouble(f, flow)) return std::move(*verdict);
        if (slow(f, flow)) slow_ones.push_back(&flow);
    }
    if (!slow_ones.empty()) return known(f, too_slow(f, slow_ones));
    const std::string rates = summary(f);
    for (const Flow& flow : f.flows)
        if (lossy(f, flow)) return known(f, warn("link.bulk-lossy", "{}; {}", rates, losses(flow)));
    if (!f.floor)
        return known(f, warn("link.bulk-unjudged",
                             "{}; whether that is enough is not known: {} has no speed of its own, and the site file "
                             "gives neither speed nor expect",
                             rates, f.interface));
    return pass("{}; the floor is {}: {}", rates, rate(f.floor->bits_per_second), f.floor->words);
}

std::string summary(const Findings& f) {
    std::string text;
    for (const Flow& flow : f.flows)
        if (flow.report.summed) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", way(flow), rate(flow.report.received));
    return text.empty() ? "nothing was measured" : text + "; " + latency(f);
}

}  // namespace diag::bulk
