// The parameters of one planned check: expanded, typed, and filled in from what the check declares.
#pragma once

#include <set>
#include <string>

#include "host/catalogue.hpp"
#include "runbook/plan.hpp"
#include "runbook/runbook.hpp"
#include "runbook/scope.hpp"

namespace diag::runbook {

// Fills `params` and `skip` of `planned`; every error becomes a finding.  `used` are the words that occur in the
// runbook's references: a key near an absent one is pointed out only where nothing uses it.
void fill_params(const host::CheckInfo& check, const Item& item, const Scope& scope, const std::set<std::string>& used,
                 PlannedCheck& planned, Findings& findings);

}  // namespace diag::runbook
