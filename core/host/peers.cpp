#include "host/peers.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/build.hpp"
#include "host/worker_session.hpp"

namespace diag::host {
namespace {

// The one constant word that reaches the peer's shell.
constexpr const char* worker_word = "diag-worker";

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

std::string other_build(const json& hello) {
    const auto& here = base::build();
    const auto identity = [](std::string_view version, std::string_view commit, std::string_view changes) {
        return fmt::format("{} ({}, {})", version, commit, changes);
    };
    const std::string own = identity(here.version, here.commit, here.changes);
    const std::string theirs = identity(hello.value("version", "?"), hello.value("commit", "?"), hello.value("changes", "?"));
    return own == theirs ? "" : fmt::format("diag {}, here {}", theirs, own);
}

void Peers::add(const std::string& machine, const base::SshTarget& target) {
    WrongMachine wrong = [who_is = who_is_, machine, host = target.host](const json& hello) -> std::string {
        const std::string key = who_is ? who_is(hello) : "";
        if (key.empty() || key == machine) return "";
        return fmt::format("the login for {} (ssh {}) leads to {}", machine, host, key);
    };
    peers_[machine].client = std::make_unique<WorkerClient>(base::ssh_command(target, worker_word), machine, std::move(wrong));
}

WorkerClient* Peers::client(const std::string& machine) {
    const auto at = peers_.find(machine);
    return at == peers_.end() ? nullptr : at->second.client.get();
}

RemoteCheck Peers::find(const std::string& machine, const Catalogue& here, const std::string& dotted) {
    Peer& peer = peers_.at(machine);
    const PluginInfo* plugin = here.plugin_of(dotted);
    if (plugin == nullptr) throw std::logic_error("a plan names a check that is not in the catalogue: " + dotted);
    RemoteCheck remote;
    try {
        if (peer.found.is_null()) peer.found = peer.client->find();
        remote = look_up(machine, peer, *plugin, dotted);
    } catch (const NoWorker&) {
        throw;
    } catch (const std::exception& e) {  // its plugin does not load, or what it sends is no answer: that is the peer's, and ends no run
        throw NoWorker("peer.plugin-missing",
                       fmt::format("{} cannot say what its plugin '{}' offers: {}", machine, plugin->name, e.what()));
    }
    const json& hello = peer.client->hello();
    if (const std::string build = other_build(hello); !build.empty()) remote.note = fmt::format("{} has {}", machine, build);
    if (hello.contains("noise"))
        remote.note += fmt::format("{}logins to {} print: {}", remote.note.empty() ? "" : "; ", machine, hello["noise"].get<std::string>());
    return remote;
}

// The very same file needs no word about itself; another one is asked.
RemoteCheck Peers::look_up(const std::string& machine, Peer& peer, const PluginInfo& plugin, const std::string& dotted) {
    for (const auto& entry : peer.found.at("plugins"))
        if (entry.at("sha256") == plugin.sha256) return {*check_in(plugin, dotted), entry.at("file"), plugin.sha256, ""};
    for (const auto& entry : peer.found.at("plugins")) {
        const std::string file = entry.at("file");
        if (file_name(file) != file_name(plugin.file)) continue;
        if (!peer.described.contains(file)) peer.described[file] = peer.client->describe(file, entry.at("sha256"));
        if (const CheckInfo* check = check_in(peer.described[file], dotted)) return {*check, file, entry.at("sha256"), ""};
        throw NoWorker("peer.plugin-missing", fmt::format("{} on {} has no check {}", file, machine, dotted));
    }
    for (const auto& refused : peer.found.at("refused"))
        if (file_name(refused.at("file")) == file_name(plugin.file))
            throw NoWorker("peer.plugin-missing", fmt::format("{} refuses its {}: {}", machine, refused.at("file").get<std::string>(),
                                                              refused.at("reason").get<std::string>()));
    throw NoWorker("peer.plugin-missing", fmt::format("{} has no plugin '{}'", machine, plugin.name));
}

}  // namespace diag::host
