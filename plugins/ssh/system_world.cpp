// The real ssh, its helpers, and the files of the account that it runs as.
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/file.hpp"
#include "base/program.hpp"
#include "base/utf8.hpp"
#include "probe/subprocess.hpp"
#include "trace.hpp"
#include "world.hpp"

namespace diag::ssh {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds helper_patience{10000};  // ssh -G, ssh-keygen, ssh-add: milliseconds, unless a Match exec line or an agent hangs

// setpriv and env under sudo, else nothing: what stands before "ssh" in its command.
std::vector<std::string> callers_prefix() {
    auto words = base::ssh_command({"localhost", "", ""}, "");
    words.erase(std::find(words.begin(), words.end(), "ssh"), words.end());
    return words;
}

std::vector<std::string> as_caller(const std::vector<std::string>& words) {
    auto all = callers_prefix();
    all.insert(all.end(), words.begin(), words.end());
    return all;
}

// The effective user for file calls, so that modes and NFS (root_squash) say what they say to ssh.  Only this process's checks
// run here, one at a time.
class AsCaller {
  public:
    AsCaller() {
        const auto user = base::invoking_user();
        if (user.name.empty()) return;
        group_ = ::getegid();
        if (::setegid(user.gid) != 0 || ::seteuid(user.uid) != 0) base::throw_errno("becoming " + user.name);
        changed_ = true;
    }
    ~AsCaller() {
        if (changed_ && (::seteuid(0) != 0 || ::setegid(group_) != 0)) std::abort();
    }
    AsCaller(const AsCaller&) = delete;
    AsCaller& operator=(const AsCaller&) = delete;

  private:
    bool changed_ = false;
    gid_t group_ = 0;
};

// Where ssh writes its log (-E): a folder of the account's own, gone with this object.
class LogFolder {
  public:
    LogFolder() {
        std::string name = std::filesystem::temp_directory_path() / "diag-ssh-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) base::throw_errno("a folder for the log of ssh, " + name);
        path_ = name;
        const auto user = base::invoking_user();
        if (!user.name.empty() && ::chown(name.c_str(), user.uid, user.gid) != 0) base::throw_errno(name);
    }
    ~LogFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    LogFolder(const LogFolder&) = delete;
    LogFolder& operator=(const LogFolder&) = delete;

    std::string file(std::size_t number) const { return path_ / std::to_string(number); }

  private:
    std::filesystem::path path_;
};

std::string read_log(const std::string& path) {
    constexpr std::size_t most = std::size_t{1} << 20;
    std::error_code error;
    return std::filesystem::exists(path, error) ? base::read_file(path, most) : "";
}

Answer answer_of(const probe::Command& command, const std::string& log) {
    const auto done = probe::run(command);
    return {read_log(log), done.out, done.err, done.status, done.signal, done.timed_out, true, done.seconds};
}

// Runs `work(i)` for each i below `count`, at most `width` at once.  What one throws is thrown again, when all have ended.
template <class Work>
void side_by_side(std::size_t count, std::size_t width, const Work& work) {
    std::atomic<std::size_t> next{0};
    std::vector<std::exception_ptr> errors(count);
    const auto lane = [&] {
        for (std::size_t i = next++; i < count; i = next++) try {
                work(i);
            } catch (...) {
                errors[i] = std::current_exception();
            }
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < std::min(width, count); ++i) others.emplace_back(lane);
    lane();
    for (auto& other : others) other.join();
    for (const auto& error : errors)
        if (error) std::rethrow_exception(error);
}

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
    std::vector<Answer> log_in(const std::vector<Login>& logins, std::size_t width, milliseconds total) override;
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

std::vector<Answer> SystemWorld::log_in(const std::vector<Login>& logins, std::size_t width, milliseconds total) {
    if (!base::find_program("ssh")) throw Absent("there is no program 'ssh' in PATH");
    const LogFolder logs;
    std::vector<probe::Command> commands;  // made here: what a command is made of is not for several threads
    for (std::size_t i = 0; i < logins.size(); ++i) {
        auto options = logins[i].options;
        options.insert(options.end(), {"-v", "-E", logs.file(i)});
        commands.push_back(
            {.argv = base::ssh_command(logins[i].target, "cat", options), .timeout = logins[i].timeout, .input = logins[i].input});
    }
    const auto end = Clock::now() + total;
    std::vector<Answer> answers(logins.size());
    side_by_side(logins.size(), std::max<std::size_t>(width, 1), [&](std::size_t i) {
        const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
        commands[i].timeout = std::min(commands[i].timeout, left);
        answers[i].begun = left.count() > 0;
        if (answers[i].begun) answers[i] = answer_of(commands[i], logs.file(i));
    });
    return answers;
}

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
