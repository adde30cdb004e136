// What a judgement comes to, before any host is told: verdict, sentences, measurements, facts.
#pragma once

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

}  // namespace diag::link
