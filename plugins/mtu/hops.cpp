#include "hops.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace mtu {
namespace {

constexpr int most_hops = 12;  // a cluster's networks have fewer; routers that stay silent cost nothing more

// The answer to a probe of that size and hop limit in any volley so far, or null.
const Outcome* answer(const Ledger& ledger, std::int64_t bytes, int hop) {
    const auto& all = ledger.all();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Outcome& o) {
        return o.probe.bytes == bytes && o.probe.hop_limit == hop && (o.kind == Kind::expired || o.kind == Kind::reply);
    });
    return found == all.end() ? nullptr : &*found;
}

// Hops up to the destination, as far as it is known.
int length(const Ledger& ledger, std::int64_t small) {
    for (int hop = 1; hop < most_hops; ++hop)
        if (const auto* found = answer(ledger, small, hop); found != nullptr && found->kind == Kind::reply) return hop;
    return most_hops;
}

// Small ones first: a router answers a burst of about six (net.ipv4.icmp_ratelimit), and the errors that its
// filter keeps back count as well.
void ask(Prober& prober, std::int64_t small, std::int64_t large, Ledger& ledger) {
    std::vector<Probe> probes;
    for (const std::int64_t size : {small, large})
        for (int hop = 1; hop <= length(ledger, small); ++hop)
            if (answer(ledger, size, hop) == nullptr) probes.push_back({size, hop});
    if (!probes.empty()) ledger.add(prober.volley(probes));
}

}  // namespace

std::size_t Trace::last_large() const {
    const auto last = std::find_if(hops.rbegin(), hops.rend(), [](const Hop& h) { return h.large; });
    return static_cast<std::size_t>(hops.rend() - last);
}

std::string Trace::at(std::size_t number) const {
    const bool known = number >= 1 && number <= hops.size() && !hops[number - 1].router.empty();
    return known ? hops[number - 1].router : fmt::format("hop {}, which does not answer", number);
}

bool Trace::anybody() const {
    return std::any_of(hops.begin(), hops.end(), [](const Hop& h) { return !h.router.empty() && !h.destination; });
}

Trace trace(Prober& prober, std::int64_t small, std::int64_t large, Ledger& ledger) {
    for (int volley = 0; volley < 2; ++volley) ask(prober, small, large, ledger);  // the second for what was lost by chance
    Trace found;
    for (int hop = 1; hop <= length(ledger, small); ++hop) {
        const auto* few = answer(ledger, small, hop);
        const bool destination = few != nullptr && few->kind == Kind::reply;
        found.hops.push_back({few != nullptr ? few->sender : "", destination, answer(ledger, large, hop) != nullptr});
    }
    return found;
}

}  // namespace mtu
