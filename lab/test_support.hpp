// For the tests that need a real lab: runs diag-lab-dev as a process of its own, and looks at what a lab leaves behind.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "lab/command.hpp"
#include "lab/files.hpp"
#include "lab/namespaces.hpp"
#include "lab/ssh_files.hpp"
#include "lab/state.hpp"

namespace diag::lab::testing {

// DIAG_LAB_DEV is the program under test.  Its stdout goes to `out`, its stderr to `err`, or nowhere.
inline pid_t start(std::vector<std::string> words, int out = -1, int err = -1) {
    words.insert(words.begin(), DIAG_LAB_DEV);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(out < 0 ? null : out, 1);
    ::dup2(err < 0 ? null : err, 2);
    ::execv(argv[0], argv.data());
    ::_exit(125);
}

// The exit status; 128 + the signal that ended it.
inline int finish(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

inline int lab(const std::vector<std::string>& words) { return finish(start(words)); }

inline std::string output(const std::vector<std::string>& words) {
    const base::Fd out(::memfd_create("out", MFD_CLOEXEC));
    finish(start(words, out.get()));
    return base::read_file(fmt::format("/proc/self/fd/{}", out.get()));
}

// What it says on stderr.
inline std::string errors(const std::vector<std::string>& words) {
    const base::Fd err(::memfd_create("err", MFD_CLOEXEC));
    finish(start(words, -1, err.get()));
    return base::read_file(fmt::format("/proc/self/fd/{}", err.get()));
}

inline void pause(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

// Everything of a lab that is on this machine, as text; other people's namespaces and mounts may come and go meanwhile.
inline std::string traces() {
    std::string all;
    for (const char* folder : {namespace_folder, node_files_folder, state_folder, "/run/sshd"}) {
        if (!std::filesystem::exists(folder)) continue;
        all += fmt::format("folder {}\n", folder);
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            if (entry.path().string().find("diag-lab") != std::string::npos) all += entry.path().string() + "\n";
    }
    std::string line;
    for (std::ifstream mounts("/proc/self/mountinfo"); std::getline(mounts, line);)
        if (line.find("diag-lab") != std::string::npos) all += "mount " + line + "\n";
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream stat(entry.path() / "stat");
        std::getline(stat, line);
        std::string name;  // of a program that was started under the lab's name
        std::getline(std::ifstream(entry.path() / "cmdline"), name, '\0');
        const bool ours =
            line.find("(diag-lab") != std::string::npos || name.rfind("diag-lab-", 0) == 0 || name.find(ssh_folder) != std::string::npos;
        if (ours && line.find(") Z ") == std::string::npos) all += "process " + line + "\n";
    }
    return all;
}

// One part's interfaces, addresses, routes, rules and shaping, without the numbers that differ from one lab to the next.
inline std::string picture_of(const std::string& part) {
    const Inside inside(part);
    std::string all;
    for (const auto& words :
         std::vector<Argv>{{"ip", "-j", "-d", "addr"}, {"ip", "-j", "route"}, {"ip", "-j", "-6", "route"}, {"ip", "-j", "rule"}}) {
        std::multiset<std::string> entries;
        for (auto entry : nlohmann::json::parse(run(words))) {
            for (const char* number : {"ifindex", "link_index", "link_netnsid"}) entry.erase(number);
            if (entry.contains("linkinfo")) entry["linkinfo"] = entry["linkinfo"].value("info_kind", "");
            if (!entry.empty()) entries.insert(entry.dump());
        }
        for (const std::string& entry : entries) all += entry + "\n";
    }
    return all + run({"nft", "list", "ruleset"}) + run({"tc", "qdisc"});
}

// A lab's keys are its own: their texts by the names of those who have them.
inline std::string without_keys(std::string text) {
    const auto replace = [&](const std::string& what, const std::string& with) {
        for (std::size_t at = 0; !what.empty() && (at = text.find(what, at)) != std::string::npos; at += with.size())
            text.replace(at, what.size(), with);
    };
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(state_folder) / "keys")) {
        const std::string key = base::read_file(entry.path()), name = "key of " + entry.path().filename().string();
        replace(key, name);
        std::string type, body;
        if (entry.path().extension() == ".pub" && std::istringstream(key) >> type >> body) replace(body, name);
    }
    return text;
}

// Every file of a node's ssh, but for what its server writes while it runs.
inline std::string picture_of_ssh(const std::string& node) {
    const auto folder = ssh_folder_of(node);
    if (!std::filesystem::exists(folder)) return {};
    std::set<std::string> files{fmt::format("{:o}", static_cast<unsigned>(std::filesystem::status(folder).permissions()))};
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (name.starts_with("sshd.")) continue;
        files.insert(fmt::format("{} {:o}\n{}", name, static_cast<unsigned>(entry.status().permissions()), base::read_file(entry.path())));
    }
    return without_keys(fmt::format("{}", fmt::join(files, "\n")));
}

inline std::string picture() {
    std::string all;
    for (const std::string& name : lab_namespaces()) all += name + "\n" + picture_of(name.substr(std::string(namespace_prefix).size()));
    for (const char* node : {"a", "b"}) {
        all += picture_of_ssh(node);
        for (const char* file : {"hosts", "nsswitch.conf", "resolv.conf"})
            all += base::read_file(fmt::format("/etc/netns/diag-lab-{}/{}", node, file));
    }
    return all + base::read_file(site_path);
}

}  // namespace diag::lab::testing
