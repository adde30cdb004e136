// For tests only: a real sshd on 127.0.0.1 port 2222 of a network namespace, with accounts, host key and user keys of its own in a
// temporary folder.  Its /etc/passwd, group and shadow, and its /run, are mounts that only it sees; it ends with this object or
// with the test.  The caller is moved into the namespace.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/program.hpp"
#include "probe/subprocess.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_skip.hpp"

namespace diag::ssh::testing {

using probe::testing::must;
using probe::testing::run;
using probe::testing::skipped;
namespace fs = std::filesystem;

inline std::optional<std::string> missing() {
    if (auto why = probe::testing::NetLab::missing(true)) return why;
    for (const auto* program : {"ssh", "sshd", "ssh-keygen", "unshare", "setpriv"})
        if (!base::find_program(program)) return std::string(program) + " is not installed";
    if (run({"unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "mount", "-t", "tmpfs", "tmpfs",
             "/run"}) != 0)
        return "may not make mount namespaces";
    return std::nullopt;
}

inline std::string slurp(const fs::path& path) { return base::read_file(path); }
inline void spill(const fs::path& path, const std::string& text, unsigned mode = 0644) {
    std::ofstream(path, std::ios::trunc) << text;
    ::chmod(path.c_str(), mode);
}

class SshdLab {
  public:
    SshdLab() : home_(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)) {
        std::string name = "/tmp/diag-sshd-XXXXXX";
        folder = ::mkdtemp(name.data());
        ::chmod(folder.c_str(), 0755);
        if (::unshare(CLONE_NEWNET) != 0) throw std::runtime_error("no network namespace");
        must("ip link set lo up");
        for (const auto* file : {"passwd", "group", "shadow"}) fs::copy_file(fs::path("/etc") / file, folder / file);
        for (const auto* key : {"host", "other-host", "id", "stranger"}) keygen(key, "");
        keygen("locked", "secret");
        account("peer", "/bin/sh");
        known("host");
        configure();
    }
    ~SshdLab() {
        stop();
        if (::setns(home_.get(), CLONE_NEWNET) != 0) std::abort();
        std::error_code ignored;
        fs::remove_all(folder, ignored);
    }
    SshdLab(const SshdLab&) = delete;
    SshdLab& operator=(const SshdLab&) = delete;

    // An account that lets the keys id and locked in; its home is folder/NAME.  Returns its home.
    fs::path account(const std::string& name, const std::string& shell) {
        const std::string number = std::to_string(next_++);
        const fs::path home = folder / name;
        append("passwd", name + ":x:" + number + ":" + number + "::" + home.string() + ":" + shell);
        append("group", name + ":x:" + number + ":");
        append("shadow", name + ":*:19000:0:99999:7:::");
        fs::create_directories(home / ".ssh");
        ::chmod(home.c_str(), 0755);
        ::chmod((home / ".ssh").c_str(), 0700);
        keys_of(name, slurp(folder / "id.pub") + slurp(folder / "locked.pub"));
        must("chown -R " + number + ":" + number + " " + home.string());
        return home;
    }
    void keys_of(const std::string& name, const std::string& text) { spill(folder / name / ".ssh/authorized_keys", text, 0600); }
    std::string script(const std::string& name, const std::string& text) {
        spill(folder / name, "#!/bin/sh\n" + text, 0755);
        return folder / name;
    }
    // Which host key this side knows: "" for none.
    void known(const std::string& key) {
        if (key.empty()) return spill(folder / "known", "");
        const std::string line = slurp(folder / (key + ".pub"));
        spill(folder / "known", "# a first line\n[127.0.0.1]:2222 " + line.substr(0, line.find(' ', line.find(' ') + 1)) + "\n");
    }
    // This side's ssh configuration; `more` comes first, so it counts.
    void configure(const std::string& key = "id", const std::string& more = "") {
        spill(config(), more + "\nPort 2222\nUser peer\nIdentityFile " + (folder / key).string() +
                            "\nIdentitiesOnly yes\nIdentityAgent none\nGlobalKnownHostsFile /dev/null\nUserKnownHostsFile " +
                            (folder / "known").string() + "\n");
    }
    std::string config() const { return folder / "ssh_config"; }

    // OpenSSH 9.8 and newer.
    static bool knows_penalties() {
        const auto sshd = base::find_program("sshd");
        return sshd && probe::run({.argv = {*sshd, "-G", "-f", "/dev/null", "-o", "PerSourcePenalties=no"}}).status == 0;
    }
    // `more`: lines of sshd_config that count before the usual ones.  `calm`: failed logins have no consequence for the next ones.
    void start(const std::string& more = "", bool calm = true) {
        stop();
        spill(folder / "sshd_config", more + "\nListenAddress 127.0.0.1\nPort 2222\nHostKey " + (folder / "host").string() +
                                          "\nPidFile none\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n");
        static const char* script =
            "mount -t tmpfs tmpfs /run && mkdir /run/sshd && "
            "for f in passwd group shadow; do mount --bind \"$1/$f\" /etc/$f || exit; done; "
            "exec \"$2\" -D -e $3 -f \"$1/sshd_config\"";
        spawn({"setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "sh",
               "-c", script, "sh", folder, *base::find_program("sshd"), calm && knows_penalties() ? "-oPerSourcePenalties=no" : ""});
        for (int tries = 0; !port_open(); ++tries) {
            if (tries == 500) throw std::runtime_error("sshd did not start: " + slurp(folder / "sshd.log"));
            ::usleep(10'000);
        }
    }
    void stop() {
        if (pid_ == 0) return;
        // sshd, the first of its process namespace, takes all others of it along; then unshare, its parent, ends.
        const std::string pid = std::to_string(pid_);
        std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
        if (pid_t sshd = 0; children >> sshd) {
            ::kill(sshd, SIGKILL);
        } else {
            ::kill(pid_, SIGKILL);
        }
        ::waitpid(pid_, nullptr, 0);
        pid_ = 0;
        for (int tries = 0; port_open() && tries < 500; ++tries) ::usleep(10'000);
    }
    // A TCP connection to the port, held open.
    static base::Fd connection() {
        base::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const sockaddr_in to = port();
        if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return {};
        return fd;
    }
    // One that sshd waits for: it has sent its identification, and is sent none.
    static base::Fd unfinished() {
        for (int tries = 0; tries < 100; ++tries) {
            base::Fd fd = connection();
            char word[4] = {};
            if (::recv(fd.get(), word, sizeof word, MSG_WAITALL) == 4 && std::string_view(word, 4) == "SSH-") return fd;
            ::usleep(50'000);  // the one before it is not gone yet
        }
        throw std::runtime_error("sshd lets nobody begin");
    }
    // Something on the port that is no sshd: a listener whose connections nobody accepts but `serve`.
    static base::Fd listener() {
        base::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const int yes = 1;
        ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        const sockaddr_in to = port();
        if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 || ::listen(fd.get(), 8) != 0)
            throw std::runtime_error("no listener");
        return fd;
    }

    fs::path folder;

  private:
    static sockaddr_in port() {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(2222);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return to;
    }
    static bool port_open() { return static_cast<bool>(connection()); }
    void append(const std::string& file, const std::string& line) { std::ofstream(folder / file, std::ios::app) << line << "\n"; }
    void keygen(const std::string& name, const std::string& passphrase) {
        if (run({"ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", folder / name}) != 0)
            throw std::runtime_error("ssh-keygen failed");
    }
    void spawn(const std::vector<std::string>& words) {
        std::vector<char*> argv;
        for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        const std::string log = folder / "sshd.log";
        ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
        ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
        const int failed = ::posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
        ::posix_spawn_file_actions_destroy(&actions);
        if (failed != 0) throw std::runtime_error("sshd could not be started");
    }

    base::Fd home_;
    pid_t pid_ = 0;
    int next_ = 7001;
};

}  // namespace diag::ssh::testing
