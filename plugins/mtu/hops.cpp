#include "hops.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace mtu {
namespace {

constexpr int most_hops = 12;  // a cluster's networks have fewer; routers that stay silent cost nothing more

bool answered(const Outcome& o) { return o.kind == Kind::expired || o.kind == Kind::reply; }

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
    // Small ones first: a router answers a burst of about six (net.ipv4.icmp_ratelimit), and errors it must not
    // send count against it as well.
    std::vector<Probe> probes;
    for (const std::int64_t size : {small, large})
        for (int hop = 1; hop <= most_hops; ++hop) probes.push_back({size, hop});
    const auto outcomes = prober.volley(probes);
    ledger.add(outcomes);
    Trace found;
    for (std::size_t i = 0; i < most_hops; ++i) {
        const Outcome &few = outcomes[i], &many = outcomes[most_hops + i];
        found.hops.push_back({answered(few) ? few.sender : "", few.kind == Kind::reply, answered(many)});
        if (few.kind == Kind::reply) break;
    }
    return found;
}

}  // namespace mtu
