#include "sweep_tally.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "echo_stats.hpp"
#include "icmp_words.hpp"
#include "sweep_targets.hpp"

namespace diag::names {

namespace {

constexpr std::size_t most_lines = 1000, most_ranges = 500;  // of evidence, about 100 KB

// What is to be said of one address; "" where it is simply alive.
std::string remark(const SweepAnswer& answer, bool v6, const SweepPlan& plan, std::chrono::nanoseconds late) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    if (answer.replies == 0 && answer.error == 0) add("silent");
    if (answer.replies > 0 && answer.replies < plan.count) add(fmt::format("{} of {} probes answered", answer.replies, plan.count));
    if (answer.error != 0) add(fmt::format("not sent: {}", std::strerror(answer.error)));
    if (answer.slowest > late) add(fmt::format("late: {:.3g} ms", milliseconds(answer.slowest)));
    if (answer.overdue > 0) add("answered after the timeout");
    if (answer.duplicates > 0) add(fmt::format("{} further answers to an answered probe", answer.duplicates));
    if (answer.refusal) add(fmt::format("{} from {}", icmp_words(*answer.refusal, v6), answer.refusal->sender.text()));
    return text;
}

void sort_in(SweepTally& tally, const probe::Address& address, const SweepAnswer& answer, const SweepPlan& plan,
             std::chrono::nanoseconds late) {
    if (answer.duplicates > 0) tally.doubled.push_back(address);
    if (answer.replies == 0) {
        (answer.error != 0 ? tally.unsent[answer.error] : tally.silent).push_back(address);
        return;
    }
    tally.alive.push_back(address);
    if (answer.slowest > late) tally.late.push_back(address);
    if (answer.replies < plan.count) tally.lossy.push_back(address);
}

}  // namespace

SweepTally tally(const std::vector<SweepTarget>& targets, const SweepRun& run, const SweepPlan& plan, std::chrono::nanoseconds late) {
    SweepTally tally;
    std::chrono::nanoseconds total{0};
    std::int64_t replies = 0;
    std::size_t remarks = 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto& [address, name] = targets[i];
        const SweepAnswer& answer = run.answers.at(i);
        sort_in(tally, address, answer, plan, late);
        if (answer.replies > 0) {
            tally.fastest = replies == 0 ? answer.fastest : std::min(tally.fastest, answer.fastest);
            tally.slowest = std::max(tally.slowest, answer.slowest);
            total += answer.total;
            replies += answer.replies;
        }
        const std::string text = remark(answer, address.v6(), plan, late);
        if (!text.empty() && ++remarks <= most_lines)
            tally.lines += fmt::format("{}{}{}: {}\n", name, name.empty() ? "" : " ", address.text(), text);
    }
    if (replies > 0) tally.average = total / replies;
    if (remarks > most_lines) tally.lines += fmt::format("and {} more addresses with a remark\n", remarks - most_lines);
    return tally;
}

std::vector<Reading> readings_of(const SweepTally& tally, std::size_t addresses, double least) {
    const auto count = [](const auto& list) { return static_cast<double>(list.size()); };
    std::vector<Reading> readings = {{"addresses", static_cast<double>(addresses), unit::count, no_limit},
                                     {"alive", count(tally.alive), unit::count, at_least(least)},
                                     {"silent", count(tally.silent), unit::count, no_limit},
                                     {"late", count(tally.late), unit::count, at_most(0)},
                                     {"duplicates", count(tally.doubled), unit::count, at_most(0)},
                                     {"lossy", count(tally.lossy), unit::count, at_most(0)}};
    if (tally.alive.empty()) return readings;
    readings.push_back({"rtt_min", milliseconds(tally.fastest), unit::milliseconds, no_limit});
    readings.push_back({"rtt_avg", milliseconds(tally.average), unit::milliseconds, no_limit});
    readings.push_back({"rtt_max", milliseconds(tally.slowest), unit::milliseconds, no_limit});
    return readings;
}

std::string summary(const SweepTally& tally, std::size_t addresses) {
    std::string text = fmt::format("{} of {} answered", tally.alive.size(), addresses);
    if (!tally.alive.empty())
        text +=
            fmt::format(", {:.3g}/{:.3g}/{:.3g} ms", milliseconds(tally.fastest), milliseconds(tally.average), milliseconds(tally.slowest));
    const auto add = [&](const SweepTally::Addresses& list, const char* what) {
        if (!list.empty()) text += fmt::format("; {} {}", list.size(), what);
    };
    add(tally.silent, "silent");
    for (const auto& [error, list] : tally.unsent) add(list, std::strerror(error));
    add(tally.late, "late");
    add(tally.doubled, "answered twice");
    add(tally.lossy, "lost some probes");
    return text;
}

std::string evidence_of(const SweepTally& tally, const SweepRun& run) {
    std::string text = run.method + "\n";
    const auto add = [&](const std::string& what, const SweepTally::Addresses& list) {
        if (!list.empty()) text += fmt::format("{}: {}\n", what, ranges_text(list, most_ranges));
    };
    add("alive", tally.alive);
    add("silent", tally.silent);
    for (const auto& [error, list] : tally.unsent) add(std::string("not sent, ") + std::strerror(error), list);
    if (run.dropped > 0) text += fmt::format("{} packets found the receive buffer full\n", run.dropped);
    return text + tally.lines;
}

}  // namespace diag::names
