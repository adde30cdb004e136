// `each` and `where`: the rows of a checkpoint.
#pragma once

#include <string>
#include <vector>

#include "runbook/runbook.hpp"
#include "runbook/scope.hpp"
#include "runbook/site.hpp"

namespace diag::runbook {

inline constexpr std::size_t max_rows = 250'000;  // of one checkpoint: a mesh of 500 machines

// The rows of `checkpoint` as seen from `machine`, in the order of the site file; one row without a label where it
// has no `each`.  No rows are a warning that says why, but for
// `port`, which most sites have none of; what can never have rows is an error.
std::vector<Row> rows(const Checkpoint& checkpoint, const Site* site, const std::string& machine, Findings& findings);

// Whether `each` is one of peer, machine, link, direction and port.
bool is_kind(const std::string& each);

}  // namespace diag::runbook
