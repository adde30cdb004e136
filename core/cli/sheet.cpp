#include "cli/sheet.hpp"

#include <algorithm>
#include <iostream>

#include "cli/session.hpp"

namespace diag::cli {
namespace {

std::vector<report::SheetLink> links_of(const report::RunView& view) {
    if (!view.site.is_object()) return {};
    return sheet_links(runbook::parse_site(view.site.value("text", ""), view.site.value("path", "site.yaml")));
}

std::vector<std::string> checks_of(const report::RunView& view) {
    std::vector<std::string> checks;
    for (const auto& checkpoint : view.checkpoints)
        for (const auto& row : checkpoint.rows)
            for (const auto& check : row.checks) checks.push_back(check.check);
    return checks;
}

}  // namespace

std::vector<report::SheetColumn> columns_of(const host::Catalogue& catalogue, const std::vector<std::string>& checks) {
    std::vector<report::SheetColumn> columns;
    std::vector<std::string> seen;
    for (const auto& name : checks) {
        const auto* check = catalogue.check(name);
        if (check == nullptr || std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
        seen.push_back(name);
        for (const auto& column : check->columns) columns.push_back({name, column.title, column.from});
    }
    return columns;
}

std::vector<report::SheetLink> sheet_links(const runbook::Site& site) {
    std::vector<report::SheetLink> links;
    for (const auto& link : site.links) {
        links.push_back({.id = link.id, .management = link.management});
        for (const auto& end : link.ends) links.back().ends.push_back({end.machine, end.interface, end.name, end.address});
    }
    return links;
}

void print_sheet(report::RunView view, const Common& common) {
    if (!view.columns) {
        std::cerr << "this record does not say what its checks measure for a sheet: what the plugins here declare today is taken\n";
        view.columns = columns_of(open_session(common).catalogue, checks_of(view));
    }
    const auto links = links_of(view);
    const auto sheet = report::make_sheet(view, links);
    std::cout << (common.format == "csv" ? report::sheet_csv(view, sheet) : report::sheet_markdown(view, sheet));
}

}  // namespace diag::cli
