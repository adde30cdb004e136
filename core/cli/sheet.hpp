// --format sheet and --format csv of run, resume and show: the record's links and columns, brought together.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "host/catalogue.hpp"
#include "report/sheet.hpp"
#include "runbook/site.hpp"

namespace diag::cli {

// What these checks declare for a sheet, in the order of their first mention.
std::vector<report::SheetColumn> columns_of(const host::Catalogue& catalogue, const std::vector<std::string>& checks);

std::vector<report::SheetLink> sheet_links(const runbook::Site& site);

// On stdout.  The site file is the record's copy.  A record from before there was a sheet does not say its columns: those of the
// plugins that are here today are taken then, and stderr says so.
void print_sheet(report::RunView view, const Common& common);

}  // namespace diag::cli
