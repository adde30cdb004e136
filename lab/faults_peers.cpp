// Faults of diag itself on the other machine.
#include "lab/faults_ssh_steps.hpp"

namespace diag::lab {

std::vector<Fault> peer_faults() {
    using namespace logins;
    // The first folder of the PATH that sshd sets is the one diag-worker is in.
    const auto path = [](const std::string& script) { return Steps{edit("b", "sshd_config", script), server("again")}; };
    return {
        {"diag-missing", "logins to b do not have diag in their PATH", "ends", "peer.diag-missing", "", path("s|PATH=[^:\"]*:|PATH=|")},
        {"diag-later", "logins to b have diag behind another folder in their PATH", "", "", "peer.diag-missing",
         path("s|PATH=|PATH=/usr/games:|")},
    };
}

}  // namespace diag::lab
