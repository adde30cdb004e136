#include "worker/exclusive_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"
#include "worker/descendants.hpp"

namespace diag::worker {

std::filesystem::path exclusive_lock_path() {
    if (const char* told = std::getenv("DIAG_LOCK"); told != nullptr && *told == '/') return told;
    if (::geteuid() == 0) return "/run/diag-exclusive.lock";
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime != nullptr && *runtime == '/') return std::filesystem::path(runtime) / "diag-exclusive.lock";
    return fmt::format("/tmp/diag-exclusive-{}.lock", ::geteuid());
}

ExclusiveLock::ExclusiveLock() : path_(exclusive_lock_path()), fd_(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    if (!fd_) base::throw_errno(path_.string());
}

bool ExclusiveLock::try_take() {
    if (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK || errno == EINTR) return false;
        base::throw_errno(path_.string());
    }
    const std::string pid = fmt::format("{}\n", ::getpid());
    if (::ftruncate(fd_.get(), 0) != 0 || ::pwrite(fd_.get(), pid.data(), pid.size(), 0) < 0) base::throw_errno(path_.string());
    return true;
}

std::string ExclusiveLock::holder() const {
    const std::string text = base::read_file(path_, 64);
    const pid_t pid = static_cast<pid_t>(std::strtol(text.c_str(), nullptr, 10));
    const auto process = pid > 0 ? read_process(pid) : std::nullopt;
    if (!process)
        return fmt::format("a process that is not seen from here ({} says '{}')", path_.string(), text.substr(0, text.find('\n')));
    return fmt::format("process {} ({})", pid, process->name);
}

}  // namespace diag::worker
