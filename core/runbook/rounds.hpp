// Rounds: which rows of `each: direction` or `each: port` may run side by side, since no machine takes part in two of them.
#pragma once

#include <vector>

#include "runbook/plan.hpp"
#include "runbook/scope.hpp"

namespace diag::runbook {

// Gives each planned row its round, from 1, and orders them by it; rows[i] is what planned[i] was made of.
// A machine that a check is sent to by `on` takes part, too.
void give_rounds(std::vector<PlannedRow>& planned, const std::vector<Row>& rows, const Site& site);

}  // namespace diag::runbook
