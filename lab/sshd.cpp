#include "lab/sshd.hpp"

#include <netinet/in.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/utf8.hpp"
#include "lab/await.hpp"
#include "lab/command.hpp"
#include "lab/listener.hpp"
#include "lab/node.hpp"
#include "lab/processes.hpp"
#include "lab/service.hpp"
#include "lab/ssh_files.hpp"
#include "lab/state.hpp"
#include "lab/topology.hpp"

namespace diag::lab {
namespace {

namespace fs = std::filesystem;

const char* const privilege_folder = "/run/sshd";  // built into Debian's and Ubuntu's sshd, which does not start without it
const char* const occupier = "diag-lab-occupy";    // the kernel takes 15 characters
const std::string privilege_note = std::string(state_folder) + "/made-run-sshd";

// What sshd would write to, or obey, of the machine's own.  Logins to a node are no logins to this machine.
constexpr std::array machines_own{"/var/log/wtmp", "/var/log/btmp", "/var/log/lastlog", "/run/utmp", "/etc/hosts.deny", "/etc/hosts.allow"};

void cover(const std::string& with, const fs::path& path) {
    if (!fs::exists(path)) return;
    const std::string real = fs::canonical(path);
    if (::mount(with.c_str(), real.c_str(), nullptr, MS_BIND, nullptr) != 0) base::throw_errno("bind over " + real);
}

// Without PAM, sshd refuses a root whose password is locked with "!", as it is on many machines.
std::string shadow_of(const std::string& node) {
    const fs::path path = fs::path(state_folder) / ("shadow-" + node);
    fs::remove(path);
    base::write_new_file(path, "root:*:19000:0:99999:7:::\n", 0600);
    return path;
}

base::Fd prepare(const std::string& node) {
    become(node);
    for (const char* path : machines_own) cover("/dev/null", path);
    cover(shadow_of(node), "/etc/shadow");
    listening_socket(ssh_port);  // and closed again: it is free
    return {};
}

void become_sshd(const std::string& path) {
    std::string words[] = {path, "-D", "-f", std::string(ssh_folder) + "/sshd_config", "-E", std::string(ssh_folder) + "/sshd.log"};
    std::array<char*, std::size(words) + 1> argv{};
    for (std::size_t i = 0; i < std::size(words); ++i) argv[i] = words[i].data();
    char language[] = "LC_ALL=C", programs[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
    char* environment[] = {language, programs, nullptr};
    ::close(3);
    ::execve(path.c_str(), argv.data(), environment);
}

// The note is on disk before the folder is.
void make_privilege_folder() {
    if (fs::exists(privilege_folder)) return;
    if (!fs::exists(privilege_note)) base::write_new_file(privilege_note, "", 0644);
    if (::mkdir(privilege_folder, 0755) != 0 && errno != EEXIST) base::throw_errno(privilege_folder);
}

// A server of the machine's own that was started meanwhile needs the folder as well.
bool any_sshd() {
    for (const auto& entry : fs::directory_iterator("/proc")) {
        std::string name;
        std::getline(std::ifstream(entry.path() / "comm"), name);
        if (name.starts_with("sshd") && process(std::stoi(entry.path().filename()))) return true;  // and no zombie
    }
    return false;
}

std::string log_of(const std::string& node) {
    const fs::path path = ssh_folder_of(node) / "sshd.log";
    return fs::exists(path) ? base::printable(base::read_file(path)) : "";
}

}  // namespace

bool have_sshd() { return !find_program("sshd").empty() && !find_program("ssh-keygen").empty(); }

void start_sshd(const std::vector<std::string>& nodes) {
    make_privilege_folder();
    const std::string path = find_program("sshd");
    std::vector<std::pair<std::string, pid_t>> started;
    const auto name_of = [](const std::string& node) { return "the sshd of " + machine_of(node); };
    for (const std::string& node : nodes)
        if (const auto pid = start_service(node, {name_of(node), [&] { return prepare(node); }, [&](int) { become_sshd(path); }}))
            started.emplace_back(node, *pid);
    for (const auto& [node, pid] : started) {
        try {
            await_listening(name_of(node), pid, ssh_port);
        } catch (const CommandFailed& e) {
            throw CommandFailed(fmt::format("{}: {}", e.what(), log_of(node)));
        }
    }
}

void end_sshd(const std::string& node) {
    end_recorded("sshd", node);
    end_recorded(occupier, node);
}

void freeze_sshd(const std::string& node, bool frozen) { signal_recorded("sshd", node, frozen ? SIGSTOP : SIGCONT); }

void occupy_sshd(const std::string& node) {
    const auto connect_to_it = [] {
        ::prctl(PR_SET_NAME, occupier);
        sockaddr_in there{};
        there.sin_family = AF_INET;
        there.sin_port = htons(ssh_port);
        there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        base::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0) base::throw_errno("connect");
        const timeval patience{5, 0};
        ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        char greeting = 0;  // when the server speaks, it has counted this one
        if (::recv(fd.get(), &greeting, 1, 0) != 1) throw std::system_error(ECONNREFUSED, std::generic_category(), "no greeting");
        return fd;
    };
    const auto hold = [](int) {
        for (;;) ::pause();
    };
    start_service(node, {"who occupies the sshd of " + machine_of(node), connect_to_it, hold});
}

void remove_privilege_folder() {
    if (!fs::exists(privilege_note) || any_sshd()) return;
    ::rmdir(privilege_folder);  // not empty, or gone already: not ours to remove
}

}  // namespace diag::lab
