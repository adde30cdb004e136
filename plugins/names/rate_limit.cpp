#include "rate_limit.hpp"

#include <algorithm>
#include <vector>

#include "echo_stats.hpp"

namespace diag::names {

namespace {

using namespace std::chrono_literals;

// Slow enough for one echo a second, the usual limit; five of them, since few would come back by luck over a wire that loses many.
constexpr unsigned slow_count = 5;
constexpr std::chrono::milliseconds slow_pace{1100};
// More than the usual burst (nft(8) and iptables-extensions(8), limit: 5).
constexpr unsigned quick_count = 20;
constexpr std::chrono::milliseconds quick_pace{50};

// A limit lets a burst pass, and then little: of what follows the first loss, most is lost.  Chance loses the first as well as the last.
bool lost_after_burst(const EchoRun& run, std::chrono::milliseconds timeout) {
    constexpr std::size_t fewest = 3;  // one or two may be chance
    std::vector<bool> answered(run.sent + 1, false);
    for (const auto& answer : run.answers)
        if (answer.kind == probe::EchoAnswer::Kind::reply && answer.round_trip <= timeout && answer.sequence <= run.sent)
            answered[answer.sequence] = true;
    const auto first_lost = std::find(answered.begin() + 1, answered.end(), false);
    const auto lost = static_cast<std::size_t>(std::count(first_lost, answered.end(), false));
    return answered.size() > 1 && answered[1] && lost >= fewest && 2 * lost >= static_cast<std::size_t>(answered.end() - first_lost);
}

}  // namespace

bool rate_limited(const EchoRun& run, const EchoPlan& plan, World& world, std::string& evidence) {
    // Hosts limit the errors that answer UDP, too: those probes are slow already.
    if (run.method == probe::EchoMethod::udp || plan.interval >= 1s) return false;
    const auto ask = [&](unsigned count, std::chrono::milliseconds pace) {
        EchoRun again = world.echo({run.address}, {plan.interface, count, pace, plan.timeout}).at(0);
        evidence += "asked again, every " + std::to_string(pace.count()) + " ms: " + describe(again);
        return again;
    };
    if (stats_of(ask(slow_count, slow_pace), plan.timeout).received < slow_count) return false;
    return lost_after_burst(run, plan.timeout) || lost_after_burst(ask(quick_count, quick_pace), plan.timeout);
}

}  // namespace diag::names
