// Asks this machine and peers that no site file names yet for their looks: each by itself, then each for the others.
// Not for reading them: joined_site.hpp.
#pragma once

#include <string>
#include <vector>

#include "base/ssh_command.hpp"
#include "cli/machine_look.hpp"
#include "cli/session.hpp"

namespace diag::cli {

// A machine of which something is not known, and why; `next` may be "".
struct LookTrouble {
    std::string machine, cause, reason, next;
    bool whole = false;  // nothing is known of it
};

struct PeerLooks {
    std::vector<MachineLook> machines;  // this one first; peers without an answer are not among them.  They have their keys
    std::vector<LookTrouble> troubles;
    std::vector<std::string> notes;  // who turned out to be whom
};

// `hosts`: whom ssh calls, as on the command line; `how`: user and configuration for all of them.
PeerLooks look_at_peers(Session& session, const std::vector<std::string>& hosts, const base::SshTarget& how);

}  // namespace diag::cli
