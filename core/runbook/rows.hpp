// `each` and `where`: the rows of a checkpoint.
#pragma once

#include <optional>
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

// lint without a site file: what `checkpoint.each` is taken for.  One that is clearly a misspelt kind is an error and read
// as that kind; any other that is no kind is a list that a site file may have, which is a warning.
std::string each_without_site(const Checkpoint& checkpoint, Findings& findings);

// The kind that `each` misspells, where it is one edit away.  A plural is no such thing: it may well name a list.
std::optional<std::string> kind_meant(const std::string& each);

// Whether `each` is one of peer, machine, link, direction and port.
bool is_kind(const std::string& each);

}  // namespace diag::runbook
