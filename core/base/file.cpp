#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/fd.hpp"

namespace diag::base {

void throw_errno(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) throw_errno(path.string());
    std::string content;
    std::array<char, 65536> buffer;
    for (;;) {
        const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_errno(path.string());
        if (n == 0) return content;
        content.append(buffer.data(), static_cast<std::size_t>(n));
        if (content.size() > limit) throw std::system_error(EFBIG, std::generic_category(), path.string());
    }
}

void write_all(int fd, std::string_view data, const std::filesystem::path& path) {
    while (!data.empty()) {
        const ssize_t n = ::write(fd, data.data(), data.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_errno(path.string());
        data.remove_prefix(static_cast<std::size_t>(n));
    }
}

void write_new_file(const std::filesystem::path& path, std::string_view data, unsigned mode) {
    const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!fd) throw_errno(path.string());
    write_all(fd.get(), data, path);
    if (::fsync(fd.get()) != 0) throw_errno(path.string());
}

void sync_folder(const std::filesystem::path& path) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) throw_errno(path.string());
}

}  // namespace diag::base
