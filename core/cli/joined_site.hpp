// A site file of several machines, from their looks: machines, links, and in comments how each was found.  Pure.
// Not for asking the machines: peer_looks.hpp.
#pragma once

#include <string>
#include <vector>

#include "cli/machine_look.hpp"
#include "runbook/site_draft.hpp"

namespace diag::cli {

// A key for each machine: the first label of its own host name, else of what --peer called it.  Those that turn out to be a machine
// that stands before them are taken out; returned is a sentence for each of these.  The first look is this machine's.
std::vector<std::string> name_machines(std::vector<MachineLook>& machines, const std::string& host_name);

// A key for a machine of which nothing is known but whom ssh calls, beside those that have theirs.
std::string unused_key(const std::string& host, const std::vector<std::pair<std::string, runbook::DraftMap>>& machines);

// The looks have their keys.  `ssh`: how the peers were reached, where that was said.
runbook::SiteDraft site_from_looks(const std::vector<MachineLook>& machines, const std::string& host_name, const runbook::DraftMap& ssh);

}  // namespace diag::cli
