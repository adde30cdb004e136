// The workers on other machines, reached through ssh: one connection each for as long as this lives, made when first needed.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ssh_command.hpp"
#include "host/worker_client.hpp"

namespace diag::host {

constexpr std::size_t logins_at_once = 8;  // to one site; sshd's MaxStartups begins to refuse at 10, where all go by one machine

// Where a check's code lies on a peer.
struct RemoteCheck {
    CheckInfo check;     // as the peer's plugin declares it
    std::string file;    // on the peer
    std::string sha256;  // of that file
    std::string note;    // what is not as it is here; "" where all is
};

// The machine's key by the site file, of a worker with this hello; "" where the site file does not know it.
using WhoIs = std::function<std::string(const json& hello)>;

class Peers {
  public:
    // A login that leads to another machine than it is meant for is refused, where `who_is` knows that one.
    explicit Peers(WhoIs who_is = {}) : who_is_(std::move(who_is)) {}
    // `machine` is whom the site file calls so.  Nothing is started yet.
    void add(const std::string& machine, const base::SshTarget& target);
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
    WhoIs who_is_;
    std::map<std::string, Peer> peers_;
};

// How a worker's hello differs from this build: "diag 0.2.0 (abc, clean), here 0.1.0 (def, clean)"; "" where it does not.
std::string other_build(const json& hello);

}  // namespace diag::host
