#include "host/join.hpp"

#include <fmt/format.h>

namespace diag::host {
namespace {

void take_verdict(Result& result, const Result& there, const std::string& machine) {
    result.notes.push_back(
        fmt::format("the half on this side: {}{}", result.reason, result.cause.empty() ? "" : " (" + result.cause + ")"));
    result.outcome = there.outcome;
    result.cause = there.cause;
    result.mover = there.mover;
    result.meaning = there.meaning;
    result.next = there.next;
    result.reason = fmt::format("on {}: {}", machine, there.reason);
}

}  // namespace

Result join(Result here, const Result& there, const std::string& machine) {
    for (auto m : there.measurements) {
        m.name = "there." + m.name;
        here.measurements.push_back(std::move(m));
    }
    for (const auto& e : there.evidence) here.evidence.push_back({"there." + e.name, e.text});
    for (const auto& [name, value] : there.facts.items()) here.facts["there." + name] = value;
    for (const auto& note : there.notes) here.notes.push_back(fmt::format("on {}: {}", machine, note));
    // That a half was stopped, or fell alone, only follows from the other one's end.
    const auto follows = [](const Result& r) { return r.cause == "worker.interrupted" || r.cause == "peer.companion-lost"; };
    const bool there_is_worse = static_cast<int>(there.outcome) > static_cast<int>(here.outcome);
    if (follows(there)) {
        if (there_is_worse && here.outcome != Outcome::not_run)
            here.notes.push_back(fmt::format("the half on {} did not end by itself, and was ended", machine));
        return here;
    }
    const bool there_tells = there.outcome == Outcome::fail || there.outcome == Outcome::not_run;
    // What a half finds whose other half broke down in the middle is the breakdown, and no answer.
    const bool broke_down = there.outcome == Outcome::not_run && here.outcome != Outcome::not_run;
    if ((there_is_worse && there.outcome != Outcome::skip) || broke_down || (here.cause == "peer.companion-lost" && there_tells))
        take_verdict(here, there, machine);
    return here;
}

}  // namespace diag::host
