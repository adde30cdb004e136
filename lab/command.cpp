#include "lab/command.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/utf8.hpp"

namespace diag::lab {
namespace {

constexpr std::array folders{"/usr/sbin", "/usr/bin", "/sbin", "/bin"};

// Program and the Debian package that brings it.
constexpr std::array<std::pair<const char*, const char*>, 4> needed{
    {{"ip", "iproute2"}, {"tc", "iproute2"}, {"nft", "nftables"}, {"ethtool", "ethtool"}}};

// An anonymous file: the child's stdin, stdout or stderr, without a pipe that could fill up.
base::Fd scratch(const std::string& content) {
    base::Fd fd(::memfd_create("diag-lab", MFD_CLOEXEC));
    if (!fd) base::throw_errno("memfd_create");
    base::write_all(fd.get(), content, "stdin of a command");
    if (::lseek(fd.get(), 0, SEEK_SET) < 0) base::throw_errno("lseek");
    return fd;
}

std::string content_of(const base::Fd& fd) { return base::read_file(fmt::format("/proc/self/fd/{}", fd.get())); }

pid_t spawn(const std::string& path, const Argv& argv, int in, int out, int err) {
    std::vector<char*> arguments;
    for (const std::string& word : argv) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::string environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"};
    std::array<char*, 3> env{environment[0].data(), environment[1].data(), nullptr};

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_adddup2(&actions, err, 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGXFSZ);  // which diag ignores
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    // A Ctrl-C reaches us alone, and not a half-done `ip`.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    pid_t pid = 0;
    const int error = ::posix_spawn(&pid, path.c_str(), &actions, &attributes, arguments.data(), env.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) throw CommandFailed(fmt::format("{}: {}", path, std::strerror(error)));
    return pid;
}

int wait_for(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) base::throw_errno("waitpid");
    return status;
}

}  // namespace

std::string find_program(const std::string& name) {
    if (name.starts_with('/')) return ::access(name.c_str(), X_OK) == 0 ? name : "";
    for (const char* folder : folders) {
        std::string path = fmt::format("{}/{}", folder, name);
        if (::access(path.c_str(), X_OK) == 0) return path;
    }
    return {};
}

std::string run(const Argv& argv, const std::string& input) {
    const std::string path = find_program(argv.at(0));
    if (path.empty()) throw CommandFailed(fmt::format("{}: no such program in {}", argv[0], fmt::join(folders, ", ")));
    const base::Fd in = scratch(input), out = scratch({}), err = scratch({});
    const int status = wait_for(spawn(path, argv, in.get(), out.get(), err.get()));
    if (status == 0) return content_of(out);
    std::string said = content_of(err);
    while (!said.empty() && said.back() == '\n') said.pop_back();
    throw CommandFailed(fmt::format("`{}` {} {}: {}", fmt::join(argv, " "), WIFSIGNALED(status) ? "was ended by signal" : "exited with",
                                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), base::printable(said)));
}

void require_programs() {
    std::vector<std::string> absent;
    for (const auto& [program, package] : needed)
        if (find_program(program).empty()) absent.push_back(fmt::format("{} (apt-get install {})", program, package));
    if (!absent.empty()) throw CommandFailed(fmt::format("the lab needs {}", fmt::join(absent, ", ")));
}

}  // namespace diag::lab
