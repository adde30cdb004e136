#include "lab/node.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/utf8.hpp"
#include "lab/files.hpp"
#include "lab/namespaces.hpp"
#include "lab/ssh_files.hpp"
#include "lab/state.hpp"
#include "lab/topology.hpp"

namespace diag::lab {
namespace {

namespace fs = std::filesystem;

// In a chroot that is a plain folder, "/" is no mount point and cannot be given a propagation of its own; the mount below it,
// which may be shared with the whole machine, can only be reached by its real root.  So: out, and back in.
void seclude_from_chroot() {
    const base::Fd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    const base::Fd here(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root || !here || ::chdir("/") != 0 || ::chroot("/etc") != 0) base::throw_errno("/");
    // The working folder now lies outside the root; ".." climbs until it changes nothing.
    for (int depth = 0; depth < 256; ++depth)
        if (::chdir("..") != 0) base::throw_errno("..");
    if (::chroot(".") != 0 || ::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) base::throw_errno("make the mounts private");
    if (::fchdir(root.get()) != 0 || ::chroot(".") != 0 || ::fchdir(here.get()) != 0) base::throw_errno("return into the chroot");
}

// Nothing that is mounted from here on is seen by anyone else.
void seclude_mounts() {
    if (::unshare(CLONE_NEWNS | CLONE_NEWUTS) != 0) base::throw_errno("unshare");
    if (::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0) return;
    if (errno != EINVAL) base::throw_errno("make the mounts private");
    seclude_from_chroot();
}

// Lays an /etc of links over the machine's, so that it can have a file which the machine's own lacks (a bare system has no
// /etc/hosts).  The machine's stays reachable for the links, at `machine_etc`.
void replace_etc(const fs::path& machine_etc) {
    fs::create_directories(machine_etc);
    // Read-only: what is done to the lab's folder from in here must never reach the machine's files.
    const unsigned long again = MS_REMOUNT | MS_BIND | MS_RDONLY;
    if (::mount("/etc", machine_etc.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        ::mount(nullptr, machine_etc.c_str(), nullptr, again, nullptr) != 0)
        base::throw_errno("bind /etc");
    if (::mount("tmpfs", "/etc", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0) base::throw_errno("mount over /etc");
    for (const auto& entry : fs::directory_iterator(machine_etc)) fs::create_symlink(entry.path(), "/etc" / entry.path().filename());
}

// The node's files over the machine's.  A symbolic link (/etc/resolv.conf into /run) is followed to the file that is read.
void cover_etc(const std::string& node) {
    std::vector<fs::path> lacking;
    for (const auto& entry : fs::directory_iterator(node_folder(node)))
        if (const fs::path target = "/etc" / entry.path().filename(); !fs::exists(target)) lacking.push_back(target);
    if (!lacking.empty()) replace_etc(fs::path(state_folder) / "etc");
    for (const auto& target : lacking) {
        fs::remove(target);  // the link to a link that leads nowhere
        base::write_new_file(target, "", 0644);
    }
    for (const auto& entry : fs::directory_iterator(node_folder(node))) {
        const std::string real = fs::canonical("/etc" / entry.path().filename());
        if (::mount(entry.path().c_str(), real.c_str(), nullptr, MS_BIND, nullptr) != 0) base::throw_errno("bind over " + real);
    }
    // A running nscd would answer with the machine's names.
    if (fs::exists("/run/nscd/socket") && ::mount("/dev/null", "/run/nscd/socket", nullptr, MS_BIND, nullptr) != 0)
        base::throw_errno("/run/nscd/socket");
}

// As every machine has an ~/.ssh and /etc/ssh of its own.
void cover_ssh(const std::string& node) {
    const fs::path own = ssh_folder_of(node);
    if (!fs::exists(own)) return;  // a lab without sshd
    if (::mount(own.c_str(), ssh_folder, nullptr, MS_BIND, nullptr) != 0) base::throw_errno("bind over " + std::string(ssh_folder));
    for (const auto& entry : fs::directory_iterator(etc_ssh_folder)) {
        const fs::path target = "/etc/ssh" / entry.path().filename();
        if (!fs::exists(target)) continue;
        const std::string real = fs::canonical(target);
        if (::mount(entry.path().c_str(), real.c_str(), nullptr, MS_BIND, nullptr) != 0) base::throw_errno("bind over " + real);
    }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> node_environment(const std::string& node) {
    return {{"DIAG_MACHINE", machine_of(node)}, {"DIAG_SITE", site_path}, {"DIAG_LAB", "1"}, {"DIAG_LOCK", lock_path(node)}};
}

void become(const std::string& node) {
    enter(node);
    seclude_mounts();
    // sysfs shows the network of the process that mounts it; the one below stays as it is.
    if (::mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) base::throw_errno("mount /sys");
    cover_etc(node);
    cover_ssh(node);
    const std::string machine = machine_of(node);
    if (::sethostname(machine.c_str(), machine.size()) != 0) base::throw_errno("sethostname");
}

int exec_as(const std::string& node, const std::vector<std::string>& command) {
    become(node);
    for (const auto& [name, value] : node_environment(node)) ::setenv(name.c_str(), value.c_str(), 1);
    // diag would have ssh run as that user, who cannot read the node's key.
    for (const char* name : {"SUDO_UID", "SUDO_GID", "SUDO_USER", "SUDO_COMMAND"}) ::unsetenv(name);
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::signal(SIGXFSZ, SIG_DFL);  // which diag ignores
    ::execvp(arguments[0], arguments.data());
    const int error = errno;
    fmt::print(stderr, "{}: {}\n", base::printable(command[0]), std::strerror(error));
    return error == ENOENT ? 127 : 126;
}

}  // namespace diag::lab
