#include "worker/exclusive_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"
#include "worker/descendants.hpp"

namespace diag::worker {
namespace {

// Read only, which is all that flock(2) needs.  Without O_CREAT first: another user's file in a folder such as /tmp is else refused
// (fs.protected_regular).  O_NONBLOCK: a FIFO would be waited for.
base::Fd open_lock(const std::filesystem::path& path) {
    constexpr int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    base::Fd fd(::open(path.c_str(), flags));
    if (!fd && errno == ENOENT) fd.reset(::open(path.c_str(), flags | O_CREAT | O_EXCL, 0666));
    if (!fd && errno == EEXIST) fd.reset(::open(path.c_str(), flags));  // another was quicker
    if (!fd && errno == ELOOP) throw std::system_error(ELOOP, std::generic_category(), path.string() + " is a symbolic link");
    if (!fd) base::throw_errno(path.string());
    return fd;
}

// The process that has locked this file, from lines such as "7: FLOCK  ADVISORY  WRITE 4711 00:1a:2 0 EOF" (proc(5)); 0 where none shows.
pid_t locked_by(const struct stat& file) {
    const std::string place = fmt::format("{:02x}:{:02x}:{}", major(file.st_dev), minor(file.st_dev), file.st_ino);
    std::istringstream lines(base::read_file("/proc/locks"));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string number, kind, advisory, mode, at;
        pid_t pid = 0;
        if (words >> number >> kind >> advisory >> mode >> pid >> at && kind == "FLOCK" && at == place) return pid;
    }
    return 0;
}

}  // namespace

std::filesystem::path exclusive_lock_path() {
    if (const char* told = std::getenv("DIAG_LOCK"); told != nullptr && *told == '/') return told;
    return "/run";
}

ExclusiveLock::ExclusiveLock() : path_(exclusive_lock_path()), fd_(open_lock(path_)) {}

bool ExclusiveLock::try_take() {
    if (::flock(fd_.get(), LOCK_EX | LOCK_NB) == 0) return true;
    if (errno == EWOULDBLOCK || errno == EINTR) return false;
    base::throw_errno(path_.string());
}

std::string ExclusiveLock::holder() const {
    struct stat file {};
    pid_t pid = 0;
    try {
        if (::fstat(fd_.get(), &file) == 0) pid = locked_by(file);
    } catch (const std::system_error&) {  // no /proc: the wait is told all the same
    }
    if (pid <= 0) return "a process that is not seen from here";
    const auto process = read_process(pid);
    return process ? fmt::format("process {} ({})", pid, process->name) : fmt::format("process {}", pid);
}

}  // namespace diag::worker
