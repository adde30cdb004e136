// diag run --plan: what would run, row by row, as text or JSON on stdout.
#pragma once

#include "cli/options.hpp"
#include "host/catalogue.hpp"
#include "runbook/plan.hpp"

namespace diag::cli {

void print_plan(const runbook::Plan& plan, const host::Catalogue& catalogue, const Common& common);

}  // namespace diag::cli
