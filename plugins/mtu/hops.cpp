#include "hops.hpp"

#include <algorithm>

namespace mtu {
namespace {

constexpr std::size_t most_hops = 12;  // a cluster's networks have fewer
constexpr int same_answer = 2;         // volleys in which only the small one was answered
constexpr int quick = 2, most = 4;     // volleys: at once, and all together

// One hop, as far as it is known.
struct Asked {
    std::string router;
    bool destination = false, large = false;
    int small_only = 0;  // volleys in which the small probe was answered and the large one was not
    bool settled() const { return large || small_only >= same_answer; }
};

bool answers(const Outcome& o, std::int64_t bytes, std::size_t hop) {
    const bool came_back = o.kind == Kind::expired || o.kind == Kind::reply;
    return came_back && o.probe.bytes == bytes && o.probe.hop_limit == static_cast<int>(hop);
}

void note(Asked& hop, const Outcome& o) {
    hop.router = o.sender;
    hop.destination = o.kind == Kind::reply;
}

// The large ones first: a router answers a burst of about six, then one a second (net.ipv4.icmp_ratelimit), and were the
// small one first, it might take the last answer that the large one is due.
void ask(Prober& prober, std::int64_t small, std::int64_t large, std::vector<Asked>& hops, Ledger& ledger) {
    std::vector<Probe> probes;
    for (const std::int64_t size : {large, small})
        for (std::size_t hop = 1; hop <= hops.size(); ++hop)
            if (!hops[hop - 1].settled()) probes.push_back({size, static_cast<int>(hop)});
    const auto outcomes = prober.volley(probes);
    ledger.add(outcomes);
    for (std::size_t hop = 1; hop <= hops.size(); ++hop) {
        Asked& asked = hops[hop - 1];
        bool small_now = false;
        for (const auto& o : outcomes) {
            if (answers(o, small, hop) || answers(o, large, hop)) note(asked, o);
            small_now = small_now || (answers(o, small, hop) && !o.late);
            asked.large = asked.large || answers(o, large, hop);
        }
        if (small_now && !asked.large) ++asked.small_only;
    }
    const auto end = std::find_if(hops.begin(), hops.end(), [](const Asked& a) { return a.destination; });
    if (end != hops.end()) hops.erase(end + 1, hops.end());
}

// Whether one more volley may tell more: after the quick ones any hop that is not known is rested for once, and once more
// where that told half of it.
bool worth_another(const std::vector<Asked>& hops, int volleys) {
    return std::any_of(hops.begin(), hops.end(), [&](const Asked& a) { return !a.settled() && (volleys <= quick || a.small_only > 0); });
}

}  // namespace

std::size_t Trace::last_large() const {
    const auto last = std::find_if(hops.rbegin(), hops.rend(), [](const Hop& h) { return h.large.value_or(false); });
    return static_cast<std::size_t>(hops.rend() - last);
}

std::size_t Trace::first_small() const {
    for (std::size_t i = last_large(); i < hops.size(); ++i)
        if (!hops[i].router.empty() && !hops[i].destination && hops[i].large == std::optional(false)) return i + 1;
    return 0;
}

bool Trace::anybody() const {
    return std::any_of(hops.begin(), hops.end(), [](const Hop& h) { return !h.router.empty() && !h.destination; });
}

Trace trace(Prober& prober, std::int64_t small, std::int64_t large, Ledger& ledger) {
    std::vector<Asked> hops(most_hops);
    for (int volleys = 0; volleys < most && worth_another(hops, volleys); ++volleys) {
        if (volleys >= quick) prober.rest();
        ask(prober, small, large, hops, ledger);
    }
    Trace found;
    for (const Asked& a : hops) {
        Hop hop{a.router, a.destination, std::nullopt};
        if (a.settled()) hop.large = a.large;
        found.hops.push_back(hop);
    }
    return found;
}

}  // namespace mtu
