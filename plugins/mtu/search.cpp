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
constexpr int most_rests = 10;        // of a second each, where echo is limited
constexpr double lossy = 0.5;         // above this share of random loss no boundary is believed
constexpr double sure_enough = 1e-4;  // chance that a size which passes is lost in all its repetitions

// Boundaries that are met in practice: IPv6's least, WireGuard, VXLAN, GRE, IP in IP, PPPoE, Ethernet, IPoIB, VXLAN in jumbo, jumbo.
constexpr std::array<std::int64_t, 12> usual = {1280, 1420, 1450, 1476, 1480, 1492, ethernet, 2044, 4092, 8950, 9000, 9216};

// Sizes strictly between `passes` and `fails`: what somebody named, the usual ones, and an even ladder.  The large ones first:
// where echo is limited the first size that passes takes the answer that is left, and those behind it do not matter.  Behind
// them two that pass, without whose answer no loss is believed.
std::vector<Probe> ladder(std::int64_t passes, std::int64_t fails, std::int64_t floor, const Ledger& ledger) {
    std::set<std::int64_t> sizes{passes + 1, fails - 1};
    for (const auto& router : ledger.routers()) sizes.insert({router.said, router.said + 1});
    for (const std::int64_t size : usual) sizes.insert({size, size + 1});
    for (int i = 1; i <= rungs; ++i) sizes.insert(passes + (fails - passes) * i / (rungs + 1));
    std::vector<Probe> probes;
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size)
        if (*size > passes && *size < fails) probes.push_back({*size});
    probes.push_back({passes});
    probes.push_back({floor});
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

// More of both sides of the boundary, and a small one, without whose answer no loss is believed.
void confirm(Prober& prober, const Probe& fails, int missing_above, const Probe& passes, int missing_below, std::int64_t floor,
             Ledger& ledger) {
    std::vector<Probe> probes(static_cast<std::size_t>(std::max(0, missing_above)), fails);
    probes.insert(probes.end(), static_cast<std::size_t>(std::max(1, missing_below)), passes);
    probes.push_back({floor});
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
    int rests = 0;
    for (int volleys = 0; volleys < most_volleys && random_loss(ledger) <= lossy; ++volleys) {
        const std::int64_t passes = ledger.largest_reply();
        if (passes >= sizes.intended) return Found::intended;
        const std::int64_t silent = ledger.smallest_silent_above(passes);
        const std::int64_t fails = silent > 0 ? silent : sizes.intended + 1;
        const bool limited = ledger.limited();
        const int missing_above = repetitions(ledger, sizes.probes) - ledger.of(fails).sent;
        const int missing_below = limited ? 0 : sizes.probes - ledger.of(passes).sent;
        const bool adjacent = fails - passes == 1;
        if (adjacent && missing_above <= 0 && missing_below <= 0) return Found::exact;
        if (limited && rests++ == most_rests) return Found::limited;
        if (limited) prober.rest();
        if (adjacent)
            confirm(prober, {fails}, missing_above, {passes}, missing_below, sizes.floor, ledger);
        else
            ledger.add(prober.volley(ladder(passes, fails, sizes.floor, ledger)));
    }
    if (ledger.largest_reply() >= sizes.intended) return Found::intended;
    return ledger.limited() ? Found::limited : Found::unclear;
}

}  // namespace mtu
