// What every peer of the site answers: whether a login reaches diag there, which build it is, and how its plugins differ from here.
#pragma once

#include <string>
#include <vector>

#include "cli/session.hpp"
#include "host/peers.hpp"

namespace diag::cli {

struct PeerState {
    std::string machine, host;                                          // key in the site file, whom ssh calls
    std::string cause{}, reason{};                                      // of a peer whose worker cannot be had; a peer.* code
    json hello = json();                                                // of its worker (host/worker_client.hpp); null without one
    std::string other_build{};                                          // how it differs from this one; "" where it does not
    std::vector<std::string> same{}, differing{}, missing{}, beyond{};  // plugin files by name, compared by digest
    std::vector<std::string> refused{};                                 // "FILE: reason", as the peer refuses them

    bool reached() const { return !hello.is_null(); }
    bool equal() const { return reached() && other_build.empty() && differing.empty() && missing.empty() && refused.empty(); }
};

// At most eight logins at a time, in the order of the site file.
std::vector<PeerState> ask_peers(const runbook::Site& site, const std::vector<const runbook::Machine*>& machines,
                                 const host::Catalogue& here);

}  // namespace diag::cli
