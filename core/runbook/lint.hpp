// All that can be said about runbooks without running them.
#pragma once

#include <vector>

#include "host/catalogue.hpp"
#include "runbook/finding.hpp"
#include "runbook/runbook.hpp"
#include "runbook/site.hpp"

namespace diag::runbook {

// Errors and warnings of runbooks (drafts or whole ones), against the plugins there are and, where one is given, a site file:
// then every machine's plan is made, and a key of the site file that none of the runbooks uses is a warning.
// A checkpoint whose shape is wrong hides nothing of the others; warnings are left until every runbook is whole, because what
// is missing of one may be what they miss.
std::vector<Finding> lint(const std::vector<Runbook>& runbooks, const Site* site, const host::Catalogue& catalogue);

// Without the warnings.
std::vector<Finding> errors_of(std::vector<Finding> findings);

}  // namespace diag::runbook
