#include "record/lock.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string>

#include <fmt/format.h>

#include "record/files.hpp"

namespace diag::record {
namespace {

// An open-file-description lock (fcntl(2)): it belongs to the open file, so it dies with the process, survives
// other opens and closes of the same file, and can be asked about without being taken.
struct flock whole_file() {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

// The pid that the holder wrote; 0 where there is none, or none that lives (it may not have written its own yet).
pid_t written_pid(int fd) {
    std::array<char, 16> text{};
    const ssize_t n = ::pread(fd, text.data(), text.size(), 0);
    pid_t pid = 0;
    if (n > 0) std::from_chars(text.data(), text.data() + n, pid);
    if (pid <= 0 || (::kill(pid, 0) != 0 && errno == ESRCH)) return 0;
    return pid;
}

}  // namespace

Lock Lock::take(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / "lock";
    base::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) throw_record_error(path, "the record cannot be locked");
    struct flock lock = whole_file();
    if (::fcntl(fd.get(), F_OFD_SETLK, &lock) != 0) {
        if (errno != EAGAIN && errno != EACCES) throw_record_error(path, "the record cannot be locked");
        const pid_t pid = written_pid(fd.get());
        throw RecordBusy(fmt::format("{}: the record is in use by {}; wait until it has ended, or stop it", folder.string(),
                                     pid != 0 ? fmt::format("process {}", pid) : "another process"),
                         pid);
    }
    if (::fchmod(fd.get(), 0600) != 0) throw_record_error(path, "could not get its mode");
    // Only for the message to who comes second.  Always 16 bytes, so that it needs no new block; where it fails all
    // the same (a full copy-on-write file system), records must still be prunable.
    const std::string pid = fmt::format("{:<15}\n", ::getpid());
    if (::pwrite(fd.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
        static_cast<void>(::ftruncate(fd.get(), 0) == 0);  // no name is better than a wrong one
    return Lock(std::move(fd));
}

std::optional<pid_t> Lock::holder(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / "lock";
    const base::Fd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!fd && errno == ENOENT) return std::nullopt;
    if (!fd) throw_record_error(path, "cannot be opened to see who holds the record");
    struct flock lock = whole_file();
    if (::fcntl(fd.get(), F_OFD_GETLK, &lock) != 0) throw_record_error(path, "cannot be asked who holds the record");
    if (lock.l_type == F_UNLCK) return std::nullopt;
    return written_pid(fd.get());
}

}  // namespace diag::record
