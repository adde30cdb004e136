#include "sweep_judge.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "causes.hpp"
#include "sweep_tally.hpp"
#include "sweep_targets.hpp"

namespace diag::names {

namespace {

using std::chrono::steady_clock;

constexpr std::size_t told_ranges = 5;  // of a verdict's sentence; the evidence has all

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

// The addresses to probe, each once.
class Targets {
  public:
    Targets(const SweepQuestion& question, World& world) : question_(question), world_(world) {}

    // Why they could not be found, or nothing.
    std::optional<Verdict> find() {
        for (const auto& text : question_.addresses) {
            const auto written = addresses_of(text, question_.most);
            if (!written) {
                if (auto failed = look_up(text)) return failed;
                continue;
            }
            for (const auto& address : *written) add(address, "");
        }
        if (all.empty()) throw BadValue("the list of addresses is empty");
        return std::nullopt;
    }

    std::vector<SweepTarget> all;

  private:
    void add(const probe::Address& bare, const std::string& name) {
        const auto& by = question_.plan.interface;
        const auto address = bare.on(scope_of(world_, by.empty() ? std::nullopt : std::optional(by), bare));
        if (!seen_.insert(address.text()).second) return;
        if (all.size() == question_.most) throw BadValue(fmt::format("these are more than {} addresses", question_.most));
        all.push_back({address, name});
    }
    std::optional<Verdict> look_up(const std::string& name) {
        if (steady_clock::now() - began_ > question_.names_patience)
            return fail("names.resolver-failed",
                        "looking up names takes too long: {} addresses were found in {}, and {} was not yet asked for", all.size(),
                        units::show_duration(seconds(question_.names_patience)), name)
                .with("name", name);
        const auto resolution = world_.resolve(name);
        if (auto verdict = unresolved(world_, read_sources(world_), name, resolution)) return std::move(*verdict).with("name", name);
        auto addresses = resolution.addresses;
        const auto unrouted = std::remove_if(addresses.begin(), addresses.end(), [&](const auto& a) { return !world_.route(a); });
        if (unrouted != addresses.begin()) addresses.erase(unrouted, addresses.end());
        for (const auto& address : addresses) add(address, name);
        return std::nullopt;
    }

    const SweepQuestion& question_;
    World& world_;
    std::set<std::string> seen_;
    steady_clock::time_point began_ = steady_clock::now();
};

// What this machine would not send, by the commonest reason.
std::optional<Verdict> not_sent(const SweepTally& tally, std::size_t addresses) {
    const auto by_size = [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); };
    const auto most = std::max_element(tally.unsent.begin(), tally.unsent.end(), by_size);
    if (most == tally.unsent.end()) return std::nullopt;
    const auto& [error, list] = *most;
    const char* cause = error == EPERM         ? "names.blocked-here"
                        : error == ENOBUFS     ? "names.no-buffers"
                        : routing_error(error) ? "names.no-route"
                                               : "names.send-failed";
    return fail(cause, "this machine did not send to {} of {} addresses ({}): {}", list.size(), addresses, std::strerror(error),
                ranges_text(list, told_ranges));
}

Verdict too_few(const SweepTally& tally, const SweepRun& run, std::size_t addresses, double least, std::chrono::nanoseconds timeout) {
    if (auto verdict = not_sent(tally, addresses)) return std::move(*verdict);
    if (run.dropped > 0)
        return fail("names.answers-dropped", "{} of {} addresses seem silent, but {} packets found this machine's receive buffer full",
                    tally.silent.size(), addresses, run.dropped);
    const std::string first = tally.silent.front().text();
    if (tally.alive.empty() && addresses > 1)
        return fail("names.none-answers", "none of {} addresses answers within {}", addresses, units::show_duration(seconds(timeout)))
            .with("first", first);
    return fail("names.some-silent", "{} of {} addresses do not answer within {}, and {} must: {}", tally.silent.size(), addresses,
                units::show_duration(seconds(timeout)), least, ranges_text(tally.silent, told_ranges))
        .with("first", first);
}

Verdict enough(const SweepTally& tally, std::size_t addresses, std::chrono::nanoseconds late) {
    const auto told = [](const SweepTally::Addresses& list) { return ranges_text(list, told_ranges); };
    if (!tally.doubled.empty())
        return warn("names.duplicates", "{} of {} addresses answer more often than they are asked: {}", tally.doubled.size(), addresses,
                    told(tally.doubled));
    if (!tally.lossy.empty())
        return warn("names.loss", "{} of {} addresses answered some of their probes only: {}", tally.lossy.size(), addresses,
                    told(tally.lossy));
    if (!tally.late.empty())
        return warn("names.late", "{} of {} addresses answer later than {}: {}", tally.late.size(), addresses,
                    units::show_duration(seconds(late)), told(tally.late))
            .with("first", tally.late.front().text());
    if (auto verdict = not_sent(tally, addresses)) {
        verdict->outcome = Outcome::warn;  // enough others answer
        return std::move(*verdict);
    }
    return pass("{}", summary(tally, addresses));
}

}  // namespace

Finding judge_sweep(const SweepQuestion& question, World& world) {
    Targets targets(question, world);
    Finding finding;
    if (auto failed = targets.find()) {
        finding.asked = fmt::format("the addresses of {} entries", question.addresses.size());
        finding.saw = failed->reason;
        finding.verdict = std::move(*failed);
        return finding;
    }
    std::vector<probe::Address> addresses;
    for (const auto& target : targets.all) addresses.push_back(target.address);
    const std::size_t count = addresses.size();
    const auto& plan = question.plan;
    finding.asked = fmt::format("{} echo probe{} to each of {} addresses{}, one every {}", plan.count, plan.count == 1 ? "" : "s", count,
                                plan.interface.empty() ? "" : " over " + plan.interface, units::show_duration(seconds(plan.interval)));
    const auto run = world.sweep(addresses, plan);
    const auto counted = tally(targets.all, run, plan, question.late);
    const double least = std::ceil(question.min_alive * static_cast<double>(count) - 1e-6);  // 99.9 % is no exact number
    finding.saw = summary(counted, count);
    finding.readings = readings_of(counted, count, least);
    finding.evidence = evidence_of(counted, run);
    finding.verdict = static_cast<double>(counted.alive.size()) < least ? too_few(counted, run, count, least, plan.timeout)
                                                                        : enough(counted, count, question.late);
    return finding;
}

}  // namespace diag::names
