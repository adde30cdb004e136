#include "base/ssh_command.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace diag::base {
namespace {

// Nobody is asked anything, no host key is taken on trust, nothing of the user's own configuration runs, forwards, shares a connection
// or goes to the background.  A peer that is silent for 15 s is lost: the worker there gives up after as long.
// All of them are known to OpenSSH 8.7 and later.
const std::vector<std::string> settings_always = {
    "BatchMode=yes",     "StrictHostKeyChecking=yes", "UpdateHostKeys=no",    "RemoteCommand=none", "ClearAllForwardings=yes",
    "ForwardAgent=no",   "ControlPath=none",          "SessionType=default",  "StdinNull=no",       "ForkAfterAuthentication=no",
    "ConnectTimeout=10", "ServerAliveInterval=5",     "ServerAliveCountMax=3"};

std::string slurp(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// sudo drops SSH_AUTH_SOCK; the shell that called it has it still.
std::string agent_of_a_parent() {
    for (pid_t pid = ::getpid(); pid > 1;) {
        const std::string environment = slurp(fmt::format("/proc/{}/environ", pid));
        constexpr std::string_view key = "SSH_AUTH_SOCK=";
        for (std::size_t at = 0; at < environment.size(); at = environment.find('\0', at) + 1) {
            if (environment.compare(at, key.size(), key) == 0) {
                const std::size_t from = at + key.size();
                return environment.substr(from, environment.find('\0', from) - from);
            }
            if (environment.find('\0', at) == std::string::npos) break;
        }
        const std::string stat = slurp(fmt::format("/proc/{}/stat", pid));
        const std::size_t name_end = stat.rfind(')');
        if (name_end == std::string::npos || name_end + 4 > stat.size()) break;
        pid = static_cast<pid_t>(std::strtol(stat.c_str() + name_end + 4, nullptr, 10));  // ") S PPID"
    }
    return "";
}

void refuse_option(const std::string& word, const char* what) {
    if (word.empty() || word[0] == '-') throw std::invalid_argument(fmt::format("'{}' is no {}", word, what));
}

}  // namespace

InvokingUser invoking_user() {
    const char* text = std::getenv("SUDO_UID");
    if (::geteuid() != 0 || text == nullptr) return {};
    char* end = nullptr;
    const unsigned long uid = std::strtoul(text, &end, 10);
    if (end == text || *end != '\0' || uid == 0) return {};
    const passwd* entry = ::getpwuid(static_cast<uid_t>(uid));
    if (entry == nullptr) return {};
    InvokingUser user{entry->pw_name, entry->pw_dir, "", static_cast<unsigned>(entry->pw_uid), static_cast<unsigned>(entry->pw_gid)};
    user.agent = agent_of_a_parent();
    return user;
}

std::vector<std::string> ssh_command(const SshTarget& target, const std::string& command, const std::vector<std::string>& options) {
    refuse_option(target.host, "host to log in to");
    std::vector<std::string> words;
    const InvokingUser user = invoking_user();
    std::string home = user.home;
    if (!user.name.empty()) {
        words = {"setpriv", "--reuid",     std::to_string(user.uid), "--regid", std::to_string(user.gid), "--init-groups",
                 "env",     "HOME=" + home};
        if (!user.agent.empty()) words.push_back("SSH_AUTH_SOCK=" + user.agent);
    } else if (const char* own = std::getenv("HOME"); own != nullptr) {
        home = own;
    }
    words.emplace_back("ssh");
    words.emplace_back("-T");
    for (const auto& setting : settings_always) words.insert(words.end(), {"-o", setting});
    if (!target.config.empty()) {
        words.emplace_back("-F");
        words.push_back(target.config.starts_with("~/") ? home + target.config.substr(1) : target.config);
    }
    if (!target.user.empty()) {
        refuse_option(target.user, "user to log in as");
        words.insert(words.end(), {"-l", target.user});
    }
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", target.host});
    if (!command.empty()) words.push_back(command);
    return words;
}

}  // namespace diag::base
