// Many logins as one finding.
#include <algorithm>
#include <map>

#include <fmt/ranges.h>

#include "login_judge.hpp"

namespace diag::ssh {
namespace {

int rank(const Verdict& v) { return v.outcome == Outcome::fail ? 2 : v.outcome == Outcome::warn ? 1 : 0; }

// Equal answers of several peers: their cause is the key, "" where all is well.
using Groups = std::map<std::string, std::vector<std::string>>;

std::string folded(const Groups& groups) {
    std::string text;
    for (const auto& [cause, names] : groups)
        text += fmt::format("{:<24} {:>4}: {}\n", cause.empty() ? "logged in" : cause, names.size(), fmt::join(names, " "));
    return text;
}

// Of those that are not well, as far as there is room: each is bounded, and there may be hundreds.
std::string in_full(const std::vector<std::pair<std::string, LoginFinding>>& logins) {
    constexpr std::size_t room = std::size_t{256} << 10;
    std::string text;
    std::vector<std::string> left;
    for (const auto& [name, one] : logins) {
        if (rank(one.verdict) == 0) continue;
        text += fmt::format("\n{}: {}\n", name, one.verdict.reason);
        if (text.size() + one.evidence.size() <= room) {
            text += one.evidence;
        } else {
            left.push_back(name);
        }
    }
    if (!left.empty()) text += fmt::format("\nwithout the texts of {}, for want of room: {}\n", left.size(), fmt::join(left, " "));
    return text;
}

}  // namespace

LoginFinding judge_logins(const std::vector<std::pair<std::string, LoginFinding>>& logins) {
    LoginFinding all;
    all.asked = fmt::format("a login on each of {} machines, without a question, and a command there", logins.size());
    Groups groups;
    for (const auto& [name, one] : logins) groups[one.verdict.cause].push_back(name);
    const auto worst = std::max_element(logins.begin(), logins.end(), [](const auto& a, const auto& b) {
        return rank(a.second.verdict) < rank(b.second.verdict);  // the first of equals
    });
    const auto in = std::count_if(logins.begin(), logins.end(), [](const auto& one) { return one.second.in; });
    all.in = in == static_cast<std::ptrdiff_t>(logins.size());
    all.saw = fmt::format("{} of {} logged in", in, logins.size());
    all.evidence = folded(groups);
    all.evidence += in_full(logins);
    if (logins.empty()) {
        all.verdict = skip("no machines to log in to");
    } else if (rank(worst->second.verdict) == 0) {
        all.verdict = pass("a command ran and returned on each of {} machines", logins.size());
    } else {
        all.verdict = worst->second.verdict;
        const std::size_t same = groups[all.verdict.cause].size();
        all.verdict.reason = fmt::format("{} of {} ({}): {}", same, logins.size(), all.verdict.cause, all.verdict.reason);
    }
    return all;
}

}  // namespace diag::ssh
