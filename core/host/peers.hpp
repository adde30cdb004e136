// The workers on other machines, reached through ssh: one connection each for as long as this lives, made when first needed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ssh_command.hpp"
#include "host/worker_client.hpp"

namespace diag::host {

// Where a check's code lies on a peer.
struct RemoteCheck {
    CheckInfo check;   // as the peer's plugin declares it
    std::string file;  // on the peer
    std::string note;  // what is not as it is here; "" where all is
};

class Peers {
  public:
    // `machine` is whom the site file calls so.  Nothing is started yet.
    void add(const std::string& machine, base::SshTarget target);
    // Its worker; nullptr where no such machine was added.
    WorkerClient* client(const std::string& machine);
    // The check there, by the plugin's name.  Throws NoWorker, also where the peer has no such check.
    RemoteCheck find(const std::string& machine, const Catalogue& here, const std::string& dotted);

  private:
    struct Peer {
        std::unique_ptr<WorkerClient> client;
        json found;  // its plugin files; null until asked
        std::map<std::string, PluginInfo> described;
    };
    RemoteCheck look_up(const std::string& machine, Peer& peer, const PluginInfo& plugin, const std::string& dotted);
    std::map<std::string, Peer> peers_;
};

// How a worker's hello differs from this build: "diag 0.2.0 (abc, clean), here 0.1.0 (def, clean)"; "" where it does not.
std::string other_build(const json& hello);

}  // namespace diag::host
