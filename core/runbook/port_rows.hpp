// The rows of `each: port`: the links of one physical port between the same two machines, side by side.  Not for others: use rows.hpp.
#pragma once

#include <string>
#include <vector>

#include "runbook/runbook.hpp"
#include "runbook/scope.hpp"
#include "runbook/site.hpp"

namespace diag::runbook {

// One for each ordered pair of machines and each port that two links or more between them share; narrowed by `where`.
std::vector<Row> port_rows(const Checkpoint& checkpoint, const Site& site, const Machine& self, Findings& findings);

// What `where` may be: ports and groups of such links, and roles of the machines at their other ends.  Empty: there are no such links.
std::vector<std::string> words_of_ports(const Checkpoint& checkpoint, const Site& site, const Machine& self);

// Most clusters have no such port, and that is no fault: what a person reads in place of rows.
inline constexpr const char* no_ports = "no port with two links to one machine";

}  // namespace diag::runbook
