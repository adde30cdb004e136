// make_plan() with its findings kept apart, for lint.  Not for others: use expand.hpp and lint.hpp.
#pragma once

#include "runbook/expand.hpp"
#include "runbook/finding.hpp"

namespace diag::runbook {

// `site_is_unknown`: there is no site file, and what asks for one is taken as right (lint without --site).
// `again`: another machine has made this plan; checkpoints whose rows are the same from every machine are left out.
Plan plan_with(const PlanRequest& request, bool site_is_unknown, Findings& findings, bool again = false);

}  // namespace diag::runbook
