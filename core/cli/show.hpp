// What `diag show` prints of a record; `diag resume` prints the same where nothing is left to do.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/options.hpp"
#include "report/view.hpp"

namespace diag::cli {

// `lines`: the journal of the record in `folder`.
report::RunView view_of(const std::filesystem::path& folder, const std::vector<nlohmann::json>& lines);

// The whole run on stdout, in the form that was asked for.
void print_run(const report::RunView& view, const std::filesystem::path& folder, const Common& common);

}  // namespace diag::cli
