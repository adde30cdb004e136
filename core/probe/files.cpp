#include "probe/files.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <diag/verdict.hpp>

#include "base/fd.hpp"

namespace diag::probe {

namespace {

constexpr std::size_t limit = std::size_t{4} << 20;
constexpr int read_flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;  // a FIFO in a captured tree must not hang us

int open_below(const std::filesystem::path& root, const std::string& path) {
    if (root.empty()) return ::open(path.c_str(), read_flags);
    const base::Fd folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder) throw Unreadable(root.string() + ": " + std::strerror(errno));
    open_how how{};
    how.flags = static_cast<std::uint64_t>(read_flags);
    how.resolve = RESOLVE_IN_ROOT;  // Linux 5.6
    return static_cast<int>(::syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof how));
}

std::string read_all(int fd, const std::string& path) {
    std::string text;
    char block[16384];
    for (;;) {
        const ssize_t size = ::read(fd, block, sizeof block);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) throw Unreadable(path + ": " + std::strerror(errno));
        if (size == 0) return text;
        text.append(block, static_cast<std::size_t>(size));
        if (text.size() > limit) throw Unreadable(path + ": longer than 4 MiB");
    }
}

}  // namespace

std::string read_text(const std::filesystem::path& root, const std::string& path) {
    const base::Fd file(open_below(root, path));
    const std::string shown = root.string() + path;
    if (!file && (errno == ENOENT || errno == ENOTDIR)) throw Absent(shown + " does not exist");
    if (!file) throw Unreadable(shown + ": " + std::strerror(errno));
    struct stat what {};
    if (::fstat(file.get(), &what) != 0) throw Unreadable(shown + ": " + std::strerror(errno));
    if (!S_ISREG(what.st_mode)) throw Unreadable(shown + ": not a regular file");
    return read_all(file.get(), shown);
}

}  // namespace diag::probe
