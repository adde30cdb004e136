// The twin of system_world() in memory: an account "ops" with a home of the usual modes, and what a test puts there.
#pragma once

#include <map>

#include <diag/verdict.hpp>

#include "world.hpp"

namespace diag::ssh {

struct FakeWorld : World {
    std::string dump = "hostname node-b\nuser ops\nport 22\nidentityfile ~/.ssh/id_rsa\nidentityfile ~/.ssh/id_ed25519\n";
    std::string words;  // of an ssh -G that fails
    std::map<std::string, PrivateKey> keys;
    std::map<std::string, Agent> agents;  // by socket
    std::map<std::string, FileState> files = {{"/", {FileState::Kind::folder, 0, 0, 0755, 0}},
                                              {"/home", {FileState::Kind::folder, 0, 0, 0755, 0}},
                                              {"/home/ops", {FileState::Kind::folder, 1000, 1000, 0755, 0}},
                                              {"/home/ops/.ssh", {FileState::Kind::folder, 1000, 1000, 0700, 0}},
                                              {"/home/ops/.ssh/authorized_keys", {FileState::Kind::file, 1000, 1000, 0600, 80}}};
    std::map<std::string, std::string> links, locked;
    std::map<gid_t, Group> groups = {{0, {"root", {"root"}, {}}}, {100, {"users", {}, {"ops", "eve"}}}, {1000, {"ops", {"ops"}, {}}}};
    std::optional<std::string> server;

    std::vector<Answer> log_in(const std::vector<Login>&, std::size_t, std::chrono::milliseconds) override { return {}; }
    Dump configuration(const base::SshTarget&) override { return {words.empty() ? 0 : 255, dump, words}; }
    PrivateKey private_key(const std::string& path) override { return keys.contains(path) ? keys[path] : PrivateKey{}; }
    Agent agent(const std::string& socket) override { return agents.contains(socket) ? agents[socket] : Agent{}; }
    Account account() override { return {"ops", "/home/ops", 1000}; }
    FileState file(const std::string& path) override {
        if (locked.contains(path)) throw Unreadable(path + ": Permission denied");
        if (!files.contains(path)) throw Absent(path + ": No such file or directory");
        return files[path];
    }
    std::string real_path(const std::string& path) override { return links.contains(path) ? links[path] : path; }
    std::string user_name(uid_t uid) override {
        return uid == 0 ? "root" : uid == 1000 ? "ops" : uid == 1001 ? "eve" : std::to_string(uid);
    }
    std::optional<Group> group(gid_t gid) override { return groups.contains(gid) ? std::optional(groups[gid]) : std::nullopt; }
    std::optional<std::string> server_configuration(const Account&) override { return server; }
};

}  // namespace diag::ssh
