// diag lint: everything that is wrong with runbooks, without running anything.
#include <iostream>

#include "base/utf8.hpp"
#include "cli/paths.hpp"
#include "cli/session.hpp"
#include "runbook/lint.hpp"

namespace diag::cli {
namespace {

// Reads what can be read; what cannot is told, and fails the lint.
bool read_all(const std::vector<std::string>& words, std::vector<runbook::Runbook>& runbooks, std::vector<runbook::Finding>& findings) {
    bool whole = true;
    for (const auto& word : words) {
        try {
            const auto file = find_runbook(word);
            require_trust(file);
            runbooks.push_back(runbook::read_runbook(file));
        } catch (const runbook::RunbookError& e) {
            findings.insert(findings.end(), e.findings().begin(), e.findings().end());
            whole = false;
        }
    }
    return whole;
}

void print(const std::vector<runbook::Finding>& findings, const Common& common) {
    if (common.format == "json") {
        json all = json::array();
        for (const auto& f : findings)
            all.push_back({{"file", f.mark.file ? json(*f.mark.file) : json(nullptr)},
                           {"line", f.mark.line},
                           {"column", f.mark.column},
                           {"severity", f.severity == runbook::Severity::error ? "error" : "warning"},
                           {"text", f.text}});
        std::cout << all.dump(2) << "\n";
        return;
    }
    for (const auto& f : findings) std::cout << base::printable(f.line()) << "\n";
}

}  // namespace

int lint_command(const Arguments& arguments) {
    CommandLine line(command_named("lint"), Takes::site | Takes::plugins | Takes::format);
    line.positional(1, 1000);
    if (!line.parse(arguments)) return 0;
    std::vector<runbook::Runbook> runbooks;
    std::vector<runbook::Finding> findings;
    bool good = read_all(line.words, runbooks, findings);
    const auto site = load_site(line.common);
    const Session session = open_session(line.common);
    for (const auto& f : runbook::lint(runbooks, site ? &*site : nullptr, session.catalogue)) {
        good = good && f.severity != runbook::Severity::error;
        findings.push_back(f);
    }
    print(findings, line.common);
    if (good && line.common.format == "text") {
        for (const auto& r : runbooks)
            std::cout << base::printable(r.file) << ": good" << (site ? "" : " (no site file: what depends on one was not checked)")
                      << "\n";
    }
    return good ? 0 : exit_usage;
}

}  // namespace diag::cli
