// The real ssh, its helpers, and the files of the account that it runs as.
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/program.hpp"
#include "base/utf8.hpp"
#include "caller.hpp"
#include "probe/subprocess.hpp"
#include "trace.hpp"
#include "world.hpp"

namespace diag::ssh {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds helper_patience{10000};  // ssh -G, ssh-keygen, ssh-add: milliseconds, unless a Match exec line or an agent hangs

[[noreturn]] void unseen(const std::string& path) {
    const int error = errno;
    const std::string text = fmt::format("{}: {}", base::printable(path), std::strerror(error));
    if (error == ENOENT || error == ENOTDIR) throw Absent(text);
    throw Unreadable(text);
}

KeyState state_of(const probe::Finished& done) {
    if (done.status == 0 && done.signal == 0) return KeyState::plain;
    const auto says = [&](const char* words) { return done.err.find(words) != std::string::npos; };
    if (says("incorrect passphrase")) return KeyState::encrypted;
    if (says("UNPROTECTED PRIVATE KEY") || says("bad permissions")) return KeyState::exposed;
    if (says("No such file or directory")) return KeyState::absent;
    if (says("Permission denied")) return KeyState::unreadable;
    return KeyState::broken;
}

class SystemWorld : public World {
  public:
    std::vector<Answer> log_in(const std::vector<Login>& logins, std::size_t width, milliseconds total) override {
        return run_logins(logins, width, total);
    }
    Dump configuration(const base::SshTarget& target) override;
    PrivateKey private_key(const std::string& path) override;
    Agent agent(const std::string& socket) override;
    Account account() override;
    FileState file(const std::string& path) override;
    std::string real_path(const std::string& path) override;
    std::string user_name(uid_t uid) override;
    std::optional<Group> group(gid_t gid) override;
    std::optional<std::string> server_configuration(const Account& account) override;
};

// ssh takes the first value that it meets, so our own options (-T is RequestTTY no) would hide the user's.
World::Dump SystemWorld::configuration(const base::SshTarget& target) {
    if (!base::find_program("ssh")) throw Absent("there is no program 'ssh' in PATH");
    auto words = base::ssh_command(target, "", {"-G"});
    for (auto word = std::find(words.begin(), words.end(), "ssh"); word != words.end();) {
        if (*word == "-o") {
            word = words.erase(word, word + 2);
        } else if (*word == "-T") {
            word = words.erase(word);
        } else {
            ++word;
        }
    }
    const auto done = probe::run({.argv = words, .timeout = helper_patience});
    return {done.timed_out || done.signal != 0 ? 255 : done.status, done.out, done.timed_out ? "ssh -G did not end" : done.err};
}

PrivateKey SystemWorld::private_key(const std::string& path) {
    const auto opened = probe::run({.argv = as_caller({"ssh-keygen", "-y", "-P", "", "-f", path}), .timeout = helper_patience});
    PrivateKey key{state_of(opened), "", ""};
    const auto words = lines_of(opened.err);
    if (key.state != KeyState::plain && !words.empty()) key.why = words.back();
    if (key.state == KeyState::absent) return key;
    const auto print = probe::run({.argv = as_caller({"ssh-keygen", "-l", "-f", path}), .timeout = helper_patience});
    if (print.status == 0 && !lines_of(print.out).empty()) key.fingerprint = lines_of(print.out).front();
    return key;
}

Agent SystemWorld::agent(const std::string& socket) {
    Agent agent;
    const auto user = base::invoking_user();
    const char* own = std::getenv("SSH_AUTH_SOCK");
    agent.socket = !socket.empty() ? socket : !user.name.empty() ? user.agent : own != nullptr ? own : "";
    if (agent.socket.empty()) return agent;
    auto words = callers_prefix();
    if (words.empty()) words.emplace_back("env");
    words.insert(words.end(), {"SSH_AUTH_SOCK=" + agent.socket, "ssh-add", "-l"});
    const auto done = probe::run({.argv = words, .timeout = helper_patience});
    // ssh-add(1): 1 is also "no identities", 2 is no agent to talk to.
    agent.state = done.timed_out || done.status == 2 ? Agent::State::silent : done.status == 0 ? Agent::State::holds : Agent::State::empty;
    if (agent.state == Agent::State::holds) agent.keys = lines_of(done.out);
    return agent;
}

Account SystemWorld::account() {
    const auto user = base::invoking_user();
    if (!user.name.empty()) return {user.name, user.home, user.uid};
    const passwd* entry = ::getpwuid(::geteuid());
    if (entry == nullptr) throw Unknown(fmt::format("user {} is in no list of accounts, so it has no home", ::geteuid()));
    return {entry->pw_name, entry->pw_dir, entry->pw_uid};
}

FileState SystemWorld::file(const std::string& path) {
    const AsCaller caller;
    struct stat s {};
    if (::stat(path.c_str(), &s) != 0) unseen(path);
    const auto kind = S_ISREG(s.st_mode) ? FileState::Kind::file : S_ISDIR(s.st_mode) ? FileState::Kind::folder : FileState::Kind::other;
    if (kind == FileState::Kind::file && ::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) unseen(path);
    return {kind, s.st_uid, s.st_gid, s.st_mode & 07777, static_cast<std::size_t>(s.st_size)};
}

std::string SystemWorld::real_path(const std::string& path) {
    const AsCaller caller;
    char* resolved = ::realpath(path.c_str(), nullptr);
    if (resolved == nullptr) unseen(path);
    std::string text = resolved;
    std::free(resolved);
    return text;
}

std::string SystemWorld::user_name(uid_t uid) {
    const passwd* entry = ::getpwuid(uid);
    return entry == nullptr ? std::to_string(uid) : entry->pw_name;
}

std::optional<Group> SystemWorld::group(gid_t gid) {
    const ::group* entry = ::getgrgid(gid);
    if (entry == nullptr) return std::nullopt;
    Group group{entry->gr_name, {}, {}};
    for (char** member = entry->gr_mem; *member != nullptr; ++member) group.listed.emplace_back(*member);
    ::setpwent();
    while (const passwd* user = ::getpwent())
        if (user->pw_gid == gid) group.primary.emplace_back(user->pw_name);
    ::endpwent();
    return group;
}

std::optional<std::string> SystemWorld::server_configuration(const Account& account) {
    const auto sshd = base::find_program("sshd");
    if (::geteuid() != 0 || !sshd || account.name.find(',') != std::string::npos) return std::nullopt;
    const auto done =
        probe::run({.argv = {*sshd, "-T", "-C", "user=" + account.name + ",host=localhost,addr=127.0.0.1"}, .timeout = helper_patience});
    if (done.status != 0 || done.timed_out) return std::nullopt;
    return done.out;
}

}  // namespace

std::unique_ptr<World> system_world() { return std::make_unique<SystemWorld>(); }

}  // namespace diag::ssh
