// --labbook FILE: lines appended to a notebook that others write into, too.
#pragma once

#include <string>
#include <vector>

#include "report/view.hpp"
#include "runbook/node.hpp"

namespace diag::cli {

// Throws UsageError where the file cannot be appended to: that is better known before the run than after it.
void require_labbook(const std::string& file);

// share/diag/labbook.yaml: which checks become lines, and under which keys.
report::json labbook_table();
report::json to_json(const runbook::Node& node);

// Appends the lines with one write, behind the last whole line; never truncates.  "" : nowhere.  Throws std::system_error.
void append_to_labbook(const std::string& file, const std::vector<report::json>& lines);

// What the run measured.
void write_labbook(const std::string& file, const report::RunView& view);

}  // namespace diag::cli
