#include "search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace mtu {
namespace {

constexpr std::int64_t ethernet = 1500;
constexpr int rungs = 16;             // in one volley: few enough for a default receive buffer
constexpr int most_volleys = 40;      // a clean path needs 2 to 5
constexpr double lossy = 0.5;         // above this share of random loss no boundary is believed
constexpr double sure_enough = 1e-4;  // chance that a size which passes is lost in all its repetitions

// Boundaries that are met in practice: IPv6's least, WireGuard, VXLAN, GRE, IP in IP, PPPoE, Ethernet, IPoIB, VXLAN in jumbo, jumbo.
constexpr std::array<std::int64_t, 12> usual = {1280, 1420, 1450, 1476, 1480, 1492, ethernet, 2044, 4092, 8950, 9000, 9216};

// Sizes strictly between `passes` and `fails`: what somebody named, then the usual ones, then an even ladder.
std::vector<Probe> ladder(std::int64_t passes, std::int64_t fails, const Ledger& ledger) {
    std::set<std::int64_t> sizes{passes + 1, fails - 1};
    for (const auto& router : ledger.routers()) sizes.insert({router.said, router.said + 1});
    for (const std::int64_t size : usual) sizes.insert({size, size + 1});
    for (int i = 1; i <= rungs; ++i) sizes.insert(passes + (fails - passes) * i / (rungs + 1));
    std::vector<Probe> probes;
    for (const std::int64_t size : sizes)
        if (size > passes && size < fails) probes.push_back({size});
    return probes;
}

// Share of probes that were lost although their size passes.
double random_loss(const Ledger& ledger) { return ledger.up_to(ledger.largest_reply()).loss(); }

// How often a size must be lost before it counts as too big.
int repetitions(const Ledger& ledger, int at_least) {
    const double loss = random_loss(ledger);
    if (loss <= 0) return at_least;
    return std::max(at_least, static_cast<int>(std::ceil(std::log(sure_enough) / std::log(loss))));
}

void confirm(Prober& prober, std::int64_t bytes, int missing, std::vector<Probe> probes, Ledger& ledger) {
    for (int i = 0; i < missing; ++i) probes.push_back({bytes});
    ledger.add(prober.volley(probes));
}

}  // namespace

void ask_intended(Prober& prober, const Sizes& sizes, Ledger& ledger) {
    std::vector<Probe> probes(static_cast<std::size_t>(sizes.probes), Probe{sizes.intended});
    if (sizes.intended > ethernet) probes.push_back({ethernet});
    if (sizes.intended > sizes.floor) probes.push_back({sizes.floor});
    ledger.add(prober.volley(probes));
    if (ledger.largest_reply() > 0) return;
    // Nothing at all may only mean that a neighbour was still being resolved: that says nothing about any size.
    ledger.forget_sizes();
    ledger.add(prober.volley(probes));
}

Found narrow(Prober& prober, const Sizes& sizes, Ledger& ledger) {
    if (ledger.largest_reply() == 0) return Found::no_answer;
    for (int volleys = 0; volleys < most_volleys && random_loss(ledger) <= lossy; ++volleys) {
        const std::int64_t passes = ledger.largest_reply();
        if (passes >= sizes.intended) return Found::intended;
        const std::int64_t fails = ledger.smallest_silent_above(passes);
        if (fails - passes > 1) {
            ledger.add(prober.volley(ladder(passes, fails, ledger)));
            continue;
        }
        const int enough = repetitions(ledger, sizes.probes);
        const int missing_above = enough - ledger.of(fails).sent;
        const int missing_below = sizes.probes - ledger.of(passes).sent;
        if (missing_above <= 0 && missing_below <= 0) return Found::exact;
        confirm(prober, fails, missing_above, std::vector<Probe>(static_cast<std::size_t>(std::max(0, missing_below)), Probe{passes}),
                ledger);
    }
    return ledger.largest_reply() >= sizes.intended ? Found::intended : Found::unclear;
}

}  // namespace mtu
