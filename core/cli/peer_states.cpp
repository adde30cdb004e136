#include "cli/peer_states.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/runner.hpp"
#include "host/worker_session.hpp"

namespace diag::cli {
namespace {

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

void compare_plugins(const json& found, const host::Catalogue& here, PeerState& state) {
    std::map<std::string, std::string> theirs;
    for (const auto& entry : found.at("plugins")) theirs[file_name(entry.at("file"))] = entry.at("sha256");
    for (const auto& plugin : here.plugins) {
        const std::string name = file_name(plugin.file);
        const auto at = theirs.find(name);
        (at == theirs.end() ? state.missing : at->second == plugin.sha256 ? state.same : state.differing).push_back(name);
        if (at != theirs.end()) theirs.erase(at);
    }
    for (const auto& [name, digest] : theirs) state.beyond.push_back(name);
    for (const auto& refused : found.at("refused"))
        state.refused.push_back(refused.at("file").get<std::string>() + ": " + refused.at("reason").get<std::string>());
}

template <class Ask>
void asked(PeerState& state, const Ask& ask) {
    try {
        if (state.cause.empty()) ask();
    } catch (const host::NoWorker& e) {
        state.cause = e.code;
        state.reason = e.what();
        state.hello = json();
    } catch (const std::runtime_error& e) {  // the worker there says that it does not understand
        state.cause = "peer.no-worker";
        state.reason = e.what();
        state.hello = json();
    }
}

}  // namespace

std::vector<PeerState> ask_peers(const runbook::Site& site, const std::vector<const runbook::Machine*>& machines,
                                 const host::Catalogue& here) {
    std::vector<PeerState> states;
    const auto who = who_is(site);
    tell_whose_login();
    for (std::size_t first = 0; first < machines.size(); first += host::logins_at_once) {
        const std::size_t last = std::min(first + host::logins_at_once, machines.size());
        host::Peers peers(who);  // of these eight: their connections end before the next ones begin
        for (std::size_t i = first; i < last; ++i) {
            const std::string& key = machines[i]->key;
            PeerState& state = states.emplace_back(PeerState{key, runbook::ssh_host(site, *machines[i])});
            peers.add(key, {state.host, site.ssh_user, site.ssh_config});
            asked(state, [&] { peers.client(key)->begin(); });
        }
        for (std::size_t i = first; i < last; ++i) {
            PeerState& state = states[i];
            asked(state, [&] {
                state.hello = peers.client(state.machine)->hello();
                state.other_build = host::other_build(state.hello);
                compare_plugins(peers.client(state.machine)->find(), here, state);
            });
        }
    }
    return states;
}

}  // namespace diag::cli
