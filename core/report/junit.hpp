// The run for programs that read JUnit XML: a suite for each checkpoint, a case for each check of each row.
// fail is a failure, not_run an error, a skip and what was not reached are skipped with their reason; a warning, which
// JUnit does not know, passes with its text in system-out.
#pragma once

#include <string>

#include "report/view.hpp"

namespace diag::report {

// A whole XML 1.0 document in UTF-8.
std::string junit(const RunView& view);

}  // namespace diag::report
