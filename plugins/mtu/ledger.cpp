#include "ledger.hpp"

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace mtu {
namespace {

std::string describe(const Outcome& o) {
    switch (o.kind) {
        case Kind::lost:
            return "lost";
        case Kind::reply:
            return fmt::format("answered by {} in {:.3f} ms{}{}", o.sender, o.milliseconds, o.late ? " (late)" : "",
                               o.fragment > 0 ? fmt::format(", in fragments of at most {} bytes", o.fragment) : "");
        case Kind::too_big:
            return fmt::format("too big, says {}: MTU {}", o.sender, o.said > 0 ? std::to_string(o.said) : "not said");
        case Kind::expired:
            return fmt::format("hop limit reached at {} in {:.3f} ms", o.sender, o.milliseconds);
        case Kind::refused:
            return fmt::format("refused by {}: ICMP type {} code {}", o.sender, o.type, o.code);
        case Kind::local:
            return fmt::format("not sent: {}", std::generic_category().message(o.error));
    }
    return "?";
}

}  // namespace

void Ledger::add(const std::vector<Outcome>& outcomes) {
    const auto last = std::find_if(outcomes.rbegin(), outcomes.rend(),
                                   [](const Outcome& o) { return o.kind == Kind::reply && !o.late && o.probe.hop_limit == 0; });
    const auto heard = static_cast<std::size_t>(outcomes.rend() - last);  // so many from the front
    for (std::size_t i = 0; i < outcomes.size(); ++i) count(outcomes[i], i < heard);
}

void Ledger::count(const Outcome& o, bool heard) {
    all_.push_back(o);
    if (o.kind == Kind::too_big) {
        const bool known =
            std::any_of(routers_.begin(), routers_.end(), [&](const Router& r) { return r.address == o.sender && r.said == o.said; });
        if (!known) routers_.push_back({o.sender, o.said});
    }
    if (o.probe.hop_limit != 0) return;
    Tally& tally = sizes_[o.probe.bytes];
    if (o.late && tally.unheard > 0) {
        --tally.unheard;
        ++tally.sent;
    }
    if (!o.late) ++(o.kind == Kind::lost && !heard ? tally.unheard : tally.sent);
    if (o.kind == Kind::reply) ++tally.replied;
    if (o.kind == Kind::too_big || o.kind == Kind::refused || o.kind == Kind::local) ++tally.refused;
}

Tally Ledger::of(std::int64_t bytes) const {
    const auto found = sizes_.find(bytes);
    return found == sizes_.end() ? Tally{} : found->second;
}

Tally Ledger::sum_to(std::int64_t bytes) const {
    Tally sum;
    for (auto it = sizes_.begin(); it != sizes_.end() && it->first <= bytes; ++it) {
        sum.sent += it->second.sent;
        sum.replied += it->second.replied;
        sum.refused += it->second.refused;
        sum.unheard += it->second.unheard;
    }
    return sum;
}

// Chance loses anywhere in a volley, a limit loses its end: of ten answers due, chance loses more than twice as many before the
// last answer as behind it, whatever its share.
bool Ledger::limited() const {
    const Tally passing = sum_to(largest_reply());
    return passing.unheard >= 2 && passing.unheard * 2 >= passing.lost();
}

Tally Ledger::up_to(std::int64_t bytes) const {
    Tally sum = sum_to(bytes);
    if (!limited()) sum.sent += std::exchange(sum.unheard, 0);
    return sum;
}

double Ledger::unanswered(std::int64_t bytes) const {
    Tally sum = sum_to(bytes);
    sum.sent += sum.unheard;
    return sum.loss();
}

std::int64_t Ledger::largest_reply() const {
    const auto found = std::find_if(sizes_.rbegin(), sizes_.rend(), [](const auto& s) { return s.second.replied > 0; });
    return found == sizes_.rend() ? 0 : found->first;
}

std::int64_t Ledger::largest_whole_reply() const {
    std::int64_t largest = 0;
    for (const auto& o : all_)
        if (o.kind == Kind::reply && o.fragment == 0) largest = std::max(largest, o.probe.bytes);
    return largest;
}

std::int64_t Ledger::smallest_silent_above(std::int64_t bytes) const {
    const auto found =
        std::find_if(sizes_.upper_bound(bytes), sizes_.end(), [](const auto& s) { return s.second.replied == 0 && s.second.sent > 0; });
    return found == sizes_.end() ? 0 : found->first;
}

double Ledger::round_trip(std::int64_t bytes) const {
    double shortest = 0;
    for (const auto& o : all_)
        if (o.kind == Kind::reply && o.probe.bytes == bytes && (shortest == 0 || o.milliseconds < shortest)) shortest = o.milliseconds;
    return shortest;
}

std::int64_t Ledger::fragment_at(std::int64_t bytes) const {
    std::int64_t largest = 0;
    for (const auto& o : all_)
        if (o.kind == Kind::reply && o.probe.bytes == bytes) largest = std::max(largest, o.fragment);
    return largest;
}

std::optional<Outcome> Ledger::refusal() const {
    const auto found =
        std::find_if(all_.begin(), all_.end(), [](const Outcome& o) { return o.kind == Kind::refused || o.kind == Kind::local; });
    return found == all_.end() ? std::nullopt : std::optional(*found);
}

std::string Ledger::text() const {
    std::string lines;
    for (const auto& o : all_)
        lines += fmt::format("{} bytes{}: {}\n", o.probe.bytes,
                             o.probe.hop_limit > 0 ? fmt::format(", hop limit {}", o.probe.hop_limit) : "", describe(o));
    return lines;
}

}  // namespace mtu
