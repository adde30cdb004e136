// Runbook + site file + catalogue -> Plan: rows are expanded, parameters are filled in and typed.
// Nothing is executed, and nothing outside the arguments is read.
#pragma once

#include <map>
#include <string>

#include "host/catalogue.hpp"
#include "runbook/plan.hpp"
#include "runbook/runbook.hpp"
#include "runbook/site.hpp"

namespace diag::runbook {

struct PlanRequest {
    const Runbook& runbook;
    const Site* site = nullptr;  // a runbook that asks for nothing of a site file needs none
    const host::Catalogue& catalogue;
    std::string machine = {};                          // this machine's key, from this_machine(); "" without a site file
    std::map<std::string, std::string> settings = {};  // --set; a list is written a,b,c
};

// Throws RunbookError with every error found.
Plan make_plan(const PlanRequest& request);

// One check for `diag check`: parameters as they are written on a command line, a list as a,b,c.
// Throws RunbookError (its marks have no file).
PlannedCheck plan_check(const host::Catalogue& catalogue, const std::string& check, const std::map<std::string, std::string>& params,
                        const std::string& machine = "");

}  // namespace diag::runbook
