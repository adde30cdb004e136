// The rows of `each: link` and `each: direction`, and what those of `each: port` are made of: which pairs of a link's ends a checkpoint
// asks about.  Not for others: use rows.hpp.
#pragma once

#include <string>
#include <vector>

#include "runbook/runbook.hpp"
#include "runbook/scope.hpp"
#include "runbook/site.hpp"

namespace diag::runbook {

bool is_link_kind(const std::string& each);  // link or direction

// Narrowed by `where`; for `each: port` the directions of all links that share their port with another.  A ring that nobody asked for, and
// a link with one end, are warned of.
std::vector<Row> link_rows(const Checkpoint& checkpoint, const Site& site, const Machine& self, Findings& findings);

// What `where` may be: ids, ports and groups of links, and roles of the machines at their other ends.  Empty: there are no rows at all.
std::vector<std::string> words_of_links(const Checkpoint& checkpoint, const Site& site, const Machine& self);

bool has_role(const Machine& machine, const std::string& role);

// Adds those that are not there yet, and not "".
void add_new(std::vector<std::string>& words, const std::vector<std::string>& more);

}  // namespace diag::runbook
