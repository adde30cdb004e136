#include "probe/files.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <memory>

#include <dirent.h>
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

int open_below(const std::filesystem::path& root, const std::string& path, int flags) {
    if (root.empty()) return ::open(path.c_str(), flags);
    const base::Fd folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder) throw Unreadable(root.string() + ": " + std::strerror(errno));
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags);
    how.resolve = RESOLVE_IN_ROOT;  // Linux 5.6
    // EAGAIN: somebody, somewhere on this machine, renamed or mounted something while a ".." was followed (openat2(2)).
    long fd = -1;
    for (int tries = 0; tries < 1000 && fd < 0 && (tries == 0 || errno == EAGAIN); ++tries)
        fd = ::syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof how);
    return static_cast<int>(fd);
}

// Open, or thrown.
base::Fd must_open(const std::filesystem::path& root, const std::string& path, int flags) {
    base::Fd file(open_below(root, path, flags));
    const std::string shown = root.string() + path;
    if (!file && (errno == ENOENT || errno == ENOTDIR)) throw Absent(shown + " does not exist");
    if (!file) throw Unreadable(shown + ": " + std::strerror(errno));
    return file;
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
    const base::Fd file = must_open(root, path, read_flags);
    const std::string shown = root.string() + path;
    struct stat what {};
    if (::fstat(file.get(), &what) != 0) throw Unreadable(shown + ": " + std::strerror(errno));
    if (!S_ISREG(what.st_mode)) throw Unreadable(shown + ": not a regular file");
    return read_all(file.get(), shown);
}

std::vector<std::string> list_folder(const std::filesystem::path& root, const std::string& path) {
    base::Fd folder = must_open(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(folder.get()), ::closedir);
    if (!entries) throw Unreadable(root.string() + path + ": " + std::strerror(errno));
    static_cast<void>(folder.release());  // closedir() closes it
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(entries.get())) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..") names.push_back(name);
    }
    if (errno != 0) throw Unreadable(root.string() + path + ": " + std::strerror(errno));
    std::sort(names.begin(), names.end());
    return names;
}

std::string read_link(const std::filesystem::path& root, const std::string& path) {
    const base::Fd link = must_open(root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    char target[PATH_MAX];
    const ssize_t size = ::readlinkat(link.get(), "", target, sizeof target);
    if (size < 0) throw Unreadable(root.string() + path + ": " + (errno == ENOENT ? "not a symbolic link" : std::strerror(errno)));
    return {target, static_cast<std::size_t>(size)};
}

}  // namespace diag::probe
