// All that can be said about runbooks without running them.
#pragma once

#include <vector>

#include "host/catalogue.hpp"
#include "runbook/finding.hpp"
#include "runbook/runbook.hpp"
#include "runbook/site.hpp"

namespace diag::runbook {

// Errors and warnings of runbooks that were read, against the plugins there are and, where one is given, a site file:
// then every machine's plan is made, and a key of the site file that none of the runbooks uses is a warning.
// (What parse_runbook() throws is not repeated here.)
std::vector<Finding> lint(const std::vector<Runbook>& runbooks, const Site* site, const host::Catalogue& catalogue);

}  // namespace diag::runbook
