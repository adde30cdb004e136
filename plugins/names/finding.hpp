// What a judgement over a World comes to, and how it is told to the host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <diag/plugin.hpp>

namespace diag::names {

struct Reading {
    std::string name;
    double value = 0;
    std::string_view unit;
    Limit limit;
};

struct Finding {
    Verdict verdict;
    std::string asked, saw, evidence;
    std::vector<Reading> readings;
};

// Sends all of it, the evidence under the name `evidence`; the verdict is the caller's to return.
inline Verdict tell(Context& c, Finding finding, const std::string& evidence) {
    c.asked(finding.asked);
    c.saw(finding.saw);
    for (const auto& reading : finding.readings) c.measure(reading.name, reading.value, reading.unit, reading.limit);
    if (!finding.evidence.empty()) c.evidence(evidence, finding.evidence);
    return std::move(finding.verdict);
}

}  // namespace diag::names
