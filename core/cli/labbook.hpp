// --labbook FILE of run and resume: appends the run's lines to a notebook.
#pragma once

#include <string>

#include "report/view.hpp"

namespace diag::cli {

// Throws UsageError where the file cannot be appended to: that is better known before the run than after it.
void require_labbook(const std::string& file);

// Appends all lines with one write.  Throws std::system_error.
void write_labbook(const std::string& file, const report::RunView& view);

}  // namespace diag::cli
