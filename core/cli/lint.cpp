// diag lint: everything that is wrong with runbooks, without running anything.
#include <iostream>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "cli/paths.hpp"
#include "cli/session.hpp"
#include "runbook/lint.hpp"

namespace diag::cli {
namespace {

std::vector<runbook::Runbook> read_all(const std::vector<std::string>& words) {
    std::vector<runbook::Runbook> runbooks;
    runbooks.reserve(words.size());
    for (const auto& word : words) runbooks.push_back(runbook::read_draft(trusted(find_runbook(word))));
    return runbooks;
}

// All that is wrong; a site file that cannot be read hides no error of a runbook.
std::vector<runbook::Finding> find_all(const std::vector<runbook::Runbook>& runbooks, const Common& common, bool& has_site) {
    const auto of = [&](const runbook::Site* site) { return runbook::lint(runbooks, site, open_session(common).catalogue); };
    try {
        const auto site = load_site(common);
        has_site = site.has_value();
        return of(site ? &*site : nullptr);
    } catch (const runbook::RunbookError& e) {
        auto all = e.findings();
        for (auto& finding : runbook::errors_of(of(nullptr))) all.push_back(std::move(finding));
        return all;
    }
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
    const auto runbooks = read_all(line.words);
    bool has_site = false;
    const auto findings = find_all(runbooks, line.common, has_site);
    const bool good = runbook::errors_of(findings).empty();
    print(findings, line.common);
    if (good && line.common.format == "text") {
        for (const auto& r : runbooks)
            std::cout << base::printable(r.file) << ": good" << (has_site ? "" : " (no site file: what depends on one was not checked)")
                      << "\n";
    }
    return good ? 0 : exit_usage;
}

}  // namespace diag::cli
