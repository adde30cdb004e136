#include "runbook/finding.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace diag::runbook {
namespace {

constexpr std::size_t most = 100;  // findings that a person will read, and that are cheap to compare

std::string all_lines(const std::vector<Finding>& findings) {
    std::string text;
    for (const auto& finding : findings) text += (text.empty() ? "" : "\n") + finding.line();
    return text;
}

}  // namespace

std::string to_text(const Mark& mark) {
    std::string file = mark.file ? *mark.file : "";
    if (mark.line == 0) return file;
    return file + ":" + std::to_string(mark.line) + ":" + std::to_string(mark.column);
}

std::string Finding::line() const {
    const std::string place = to_text(mark);
    return base::printable((place.empty() ? "" : place + ": ") + (severity == Severity::warning ? "warning: " : "") + text);
}

RunbookError::RunbookError(std::vector<Finding> findings) : std::runtime_error(all_lines(findings)), findings_(std::move(findings)) {}

void Findings::add(const Finding& finding) {
    const auto same = [&](const Finding& other) { return other.line() == finding.line(); };
    if (all_.size() > most || std::any_of(all_.begin(), all_.end(), same)) return;
    all_.push_back(all_.size() < most ? finding : Finding{finding.severity, finding.mark, "and more that is not listed; mend these first"});
}

void Findings::add_all(const RunbookError& e) {
    for (const auto& finding : e.findings()) add(finding);
}

bool Findings::failed() const {
    return std::any_of(all_.begin(), all_.end(), [](const Finding& f) { return f.severity == Severity::error; });
}

void Findings::throw_if_failed() const {
    if (!failed()) return;
    std::vector<Finding> errors;
    std::copy_if(all_.begin(), all_.end(), std::back_inserter(errors), [](const Finding& f) { return f.severity == Severity::error; });
    throw RunbookError(std::move(errors));
}

}  // namespace diag::runbook
