// Copies this installation to peers, over ssh, below /usr/local: where the PATH of every login finds it.
#pragma once

#include <vector>

#include "cli/peer_states.hpp"

namespace diag::cli {

// Prints what would be copied to which of these peers; with `apply` does it, and asks each again.  Returns the exit status: 0 where
// all are equal (now), 75 where a plan waits for --apply, 2 where a copy failed, 3 where a peer cannot be reached.
int install_on(const std::vector<PeerState>& peers, const runbook::Site& site, bool apply, const Common& common,
               const host::Catalogue& here);

}  // namespace diag::cli
