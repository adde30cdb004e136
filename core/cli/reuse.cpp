#include "cli/reuse.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "record/stamp.hpp"

namespace diag::cli {
namespace {

// How long ago a verdict was measured, seconds; by the boot's own clock where it is the same boot, else by the calendar.
double age_of(const json& verdict) {
    const std::string& boot = record::boot_identity();
    if (verdict.value("boot", "") == boot && boot != "unknown")
        return std::max(0.0, record::boottime_now() - verdict.value("boottime", 0.0));
    return std::max(0.0, record::seconds_since(verdict.value("time", "")));
}

}  // namespace

engine::Reuse::Answer RecordReuse::ask(const std::string& checkpoint, const std::string& row, const runbook::PlannedCheck& check) {
    const auto* info = session_.catalogue.check(check.check);
    if (info == nullptr || info->reusable_while.empty()) return {};
    const auto pass = earlier_.pass(checkpoint, row, check.id);
    if (!pass) return {};
    Answer answer;
    const json before = {{"check", pass->verdict.value("check", "")}, {"machine", pass->machine}};
    const json now = {{"check", check.check}, {"machine", check.machine}};
    answer.changed = record::differences(before, now);
    for (auto& change : record::differences(pass->verdict.value("params", json::object()), check.params)) answer.changed.push_back(change);
    if (!answer.changed.empty()) return answer;
    const json before_facts = pass->verdict.value("facts", json::object());
    for (const auto& name : info->reusable_while)
        if (!before_facts.contains(name)) answer.changed.push_back(fmt::format("it did not tell '{}'", name));
    if (!answer.changed.empty()) return answer;
    const auto facts = runner_.facts(check);
    if (!facts) {
        answer.changed = {"its facts cannot be told now"};
        return answer;
    }
    answer.changed = record::differences(before_facts, *facts);
    if (!answer.changed.empty()) return answer;
    answer.verdict = pass->verdict;
    answer.age = age_of(pass->verdict.contains("reused") ? pass->verdict["reused"] : pass->verdict);
    return answer;
}

}  // namespace diag::cli
