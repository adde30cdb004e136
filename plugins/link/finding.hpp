// What a judgement comes to, before any host is told: verdict, sentences, measurements, facts.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <diag/context.hpp>
#include <diag/verdict.hpp>

namespace diag::link {

struct Finding {
    struct Measured {
        std::string name;
        double value;
        std::string_view unit;
        Limit limit;
    };

    Verdict verdict;
    std::string asked, saw, evidence;
    std::vector<Measured> measured;
    std::vector<std::pair<std::string, std::string>> facts;

    // Returns whether the limit holds.
    bool measure(const std::string& name, double value, std::string_view unit, Limit limit = no_limit) {
        measured.push_back({name, value, unit, limit});
        return limit.holds(value);
    }
    Verdict tell(Context& c) && {
        c.asked(asked);
        c.saw(saw);
        for (const auto& m : measured) c.measure(m.name, m.value, m.unit, m.limit);
        for (const auto& [name, value] : facts) c.fact(name, value);
        if (!evidence.empty()) c.evidence("interfaces", evidence);
        return std::move(verdict);
    }
};

// The first of the worst of several verdicts; the others are added to `saw`.  There is one at least.
inline Verdict worst_of(const std::vector<Verdict>& all, std::string& saw) {
    const auto fails = [](const Verdict& verdict) { return verdict.outcome == Outcome::fail; };
    auto first = std::find_if(all.begin(), all.end(), fails);
    if (first == all.end()) first = all.begin();
    for (auto other = all.begin(); other != all.end(); ++other)
        if (other != first) saw += (saw.empty() ? "" : "; ") + other->reason + " (" + other->cause + ")";
    return *first;
}

}  // namespace diag::link
