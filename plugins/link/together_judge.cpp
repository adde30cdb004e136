#include "together_judge.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace diag::bulk {
namespace {

constexpr double least_of_fair = 0.25;  // two TCP streams share a queue unevenly, but hardly one to seven
constexpr double all_of_them = 0.95;    // of all processors' time

std::string shown(double bits_per_second) { return units::show_rate({std::llround(bits_per_second)}); }
std::string way_of(bool reverse) { return reverse ? "back" : "there"; }

const Flow* flow_of(const Findings& function, bool reverse) {
    const auto found = std::find_if(function.flows.begin(), function.flows.end(), [&](const Flow& f) { return f.reverse == reverse; });
    return found == function.flows.end() ? nullptr : &*found;
}

std::vector<std::string> interfaces(const Together& t) {
    std::vector<std::string> names;
    for (const auto& function : t.functions) names.push_back(function.interface);
    return names;
}

// "there 94 Mbit/s (a 50 Mbit/s, b 44 Mbit/s)"; "" where nothing was measured.
std::string one_way(const Together& t, bool reverse) {
    std::string each;
    for (const auto& function : t.functions)
        if (const Flow* flow = flow_of(function, reverse); flow != nullptr && flow->report.summed)
            each += fmt::format("{}{} {}", each.empty() ? "" : ", ", function.interface, shown(flow->report.received));
    return each.empty() ? "" : fmt::format("{} {} ({})", way_of(reverse), shown(sum(t, reverse)), each);
}

Verdict with_names(const Together& t, Verdict verdict, const Findings& one) {
    return std::move(verdict)
        .with("interfaces", link::listed(interfaces(t)))
        .with("interface", one.interface)
        .with("name", one.name)
        .with("address", one.address);
}

// Which function has less than a quarter of its fair share of a direction; nullptr: none has.
const Findings* hungry(const Together& t, bool reverse) {
    double all = 0;
    for (const auto& expect : t.expects) all += static_cast<double>(expect.bits_per_second);
    for (std::size_t i = 0; i < t.functions.size(); ++i) {
        const Flow* flow = flow_of(t.functions[i], reverse);
        if (flow == nullptr) return nullptr;
        const double share = all > 0 && t.expects.size() == t.functions.size() ? static_cast<double>(t.expects[i].bits_per_second) / all
                                                                               : 1.0 / static_cast<double>(t.functions.size());
        if (flow->report.received < least_of_fair * share * sum(t, reverse)) return &t.functions[i];
    }
    return nullptr;
}

// Who had no processor time left, in words; "" where that cannot be said.
std::string busy(const Together& t, bool reverse) {
    double here = 0;
    for (const auto& function : t.functions) {
        const Flow* flow = flow_of(function, reverse);
        if (flow == nullptr) continue;
        if (const std::string who = starved(function, *flow); !who.empty()) return function.interface + ": " + who;
        here += flow->report.cpu_here.value_or(0);
    }
    if (here < all_of_them * 100 * t.processors) return "";
    return fmt::format("the iperf3 programs here had {:.0f} % of this machine's {} processors together", here / t.processors, t.processors);
}

Verdict too_slow(const Together& t, bool reverse) {
    const std::string against =
        fmt::format("together {}, the floor is {}: {}", one_way(t, reverse), shown(t.floor->bits_per_second), t.floor->words);
    const double each = t.floor->bits_per_second / static_cast<double>(t.functions.size());
    for (const auto& function : t.functions) {
        const Flow* flow = flow_of(function, reverse);
        const std::string thread = flow == nullptr ? "" : one_thread(function, *flow, each);
        if (!thread.empty()) throw Unknown(fmt::format("{}; {}: {}", against, function.interface, thread));
    }
    if (const std::string who = busy(t, reverse); !who.empty())
        return fail("link.together-cpu-bound", "{}; {}, so the port was not shown to be slow", against, who);
    const std::string other = one_way(t, !reverse);
    return fail("link.together-slow", "{}{}", against, other.empty() ? "" : "; " + other).with("ceiling", t.floor->words);
}

// Why it is not that the others pushed it aside: its link went away, in words; "" where that is not seen.
std::string link_gone(const Findings& function, const Flow& flow) {
    if (!function.lost.empty()) return words_of(function.lost.front());
    // One that is pushed aside still sends and acknowledges now and then, and its run comes to its end.
    if (flow.report.end != End::terminated) return "";
    bool known = false, moved = false;
    for (const auto& each : flow.carried) {
        if (function.own.count(each.interface) == 0) continue;
        known = true;
        moved = moved || each.sent + each.received > 0;
    }
    return known && !moved ? "its interface moved no byte at all, either way" : "";
}

// Alone it would be a stall; while others carry, it is pushed aside, unless its link went away.
std::optional<Verdict> pushed_aside(const Together& t, bool reverse) {
    for (const auto& function : t.functions) {
        const Flow* flow = flow_of(function, reverse);
        if (flow == nullptr || !flow->report.stalled() || sum(t, reverse) <= 0) continue;
        const std::string gone = link_gone(function, *flow);
        const std::string text = fmt::format("{} carried nothing {} while the others did: {}{}{}", function.interface, way_of(reverse),
                                             gone, gone.empty() ? "" : "; ", one_way(t, reverse));
        return with_names(t, gone.empty() ? fail("link.together-uneven", "{}", text) : fail("link.bulk-stalled", "{}", text), function);
    }
    return std::nullopt;
}

// As if it had run alone: what the other flows moved at the same time is not taken for its bytes on a wrong way.
Flow without_others(const Together& t, const Findings& function, const Flow& flow) {
    constexpr double with_headers = 1.1;
    double others = 0;
    for (const auto& other : t.functions)
        if (const Flow* theirs = flow_of(other, flow.reverse); theirs != nullptr && &other != &function) others += theirs->report.bytes;
    const auto less = [&](std::uint64_t bytes) {
        return static_cast<std::uint64_t>(std::max(0.0, static_cast<double>(bytes) - others * with_headers));
    };
    Flow alone = flow;
    for (auto& each : alone.carried)
        if (function.own.count(each.interface) == 0) each.sent = less(each.sent), each.received = less(each.received);
    return alone;
}

}  // namespace

std::vector<Ceiling> total_ceilings(const PortKnown& known) {
    const std::string names = link::listed(known.interfaces);
    const auto higher = [](Rate a, Rate b) { return a < b ? b : a; };
    std::vector<Ceiling> found;
    if (std::all_of(known.hardware.begin(), known.hardware.end(), [](const auto& one) { return one.port.has_value(); })) {
        Rate port{};
        for (const auto& one : known.hardware) port = higher(port, *one.port);
        if (port.bits_per_second > 0) found.push_back({port, "the speed of the port that " + names + " share"});
    }
    if (std::none_of(known.paths.begin(), known.paths.end(), [](const auto& path) { return path.empty(); }) && !known.paths.empty())
        found.push_back({link::carried(known.paths), "what PCIe gives " + names + " together"});
    if (!known.speeds.empty())
        found.push_back({std::accumulate(known.speeds.begin(), known.speeds.end(), Rate{}, higher), "the port's speed in the site file"});
    Rate expected{};
    for (const auto& one : known.expects) expected.bits_per_second += one.bits_per_second;
    if (!known.expects.empty()) found.push_back({expected, "what the site file expects of all its links"});
    return found;
}

double sum(const Together& t, bool reverse) {
    double all = 0;
    for (const auto& function : t.functions)
        if (const Flow* flow = flow_of(function, reverse)) all += flow->report.received;
    return all;
}

std::optional<Verdict> trouble(const Together& t) {
    for (const bool reverse : {false, true}) {
        if (auto verdict = pushed_aside(t, reverse)) return verdict;
        for (const auto& function : t.functions) {
            const Flow* flow = flow_of(function, reverse);
            auto verdict = flow == nullptr ? std::nullopt : trouble(function, without_others(t, function, *flow));
            if (!verdict) continue;
            verdict->reason = function.interface + ": " + verdict->reason;
            return verdict;
        }
    }
    return std::nullopt;
}

Verdict decide(const Together& t) {
    if (auto verdict = trouble(t)) return std::move(*verdict);
    for (const bool reverse : {false, true})
        if (t.floor && sum(t, reverse) < t.floor->bits_per_second) return with_names(t, too_slow(t, reverse), t.functions.front());
    for (const bool reverse : {false, true})
        if (const Findings* one = hungry(t, reverse))
            return with_names(t,
                              warn("link.together-uneven", "{} has less than a quarter of its fair share {}: {}", one->interface,
                                   way_of(reverse), summary(t)),
                              *one);
    if (!t.floor)
        return with_names(t,
                          warn("link.together-unjudged",
                               "{}; whether that is enough is not known: {} have no speed of their own, and the site file gives neither "
                               "speed nor expect",
                               summary(t), link::listed(interfaces(t))),
                          t.functions.front());
    return pass("together {}; the floor is {}: {}", summary(t), shown(t.floor->bits_per_second), t.floor->words);
}

std::string summary(const Together& t) {
    const std::string there = one_way(t, false), back = one_way(t, true);
    if (there.empty() && back.empty()) return "nothing was measured";
    return there + (there.empty() || back.empty() ? "" : ", ") + back;
}

}  // namespace diag::bulk
