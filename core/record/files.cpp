#include "record/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"

namespace diag::record {
namespace fs = std::filesystem;
namespace {

void sync_fd(int fd, const fs::path& path) {
    if (::fsync(fd) != 0) throw_record_error(path, "could not be brought to the disk");
}

void fill(int fd, std::string_view data, const fs::path& path) {
    if (::fchmod(fd, 0600) != 0) throw_record_error(path, "could not get its mode");
    try {
        base::write_all(fd, data, path);
    } catch (const std::system_error& e) {
        throw RecordError(sentence(path, "could not be written", e.code().value()));
    }
    sync_fd(fd, path);
}

// Another diag of this user may have made it at the same moment; somebody else, who put another thing there, is not joined.
void require_own_folder(const fs::path& path) {
    struct stat there {};
    if (::lstat(path.c_str(), &there) != 0) throw_record_error(path, "cannot be looked at");
    if (S_ISDIR(there.st_mode) && there.st_uid == ::geteuid()) return;
    throw RecordError(path.string() + ": appeared while it was to be made, and is not this user's folder; give another with --state");
}

}  // namespace

std::string advice(int error) {
    switch (error) {
        case ENOSPC:
        case EDQUOT:
            return "; free some space there (`diag prune` removes old records)";
        case EFBIG:
            return "; `ulimit -f` bounds how long a file may become here";
        case EROFS:
            return "; it can be shown and verified, but not written";
        case EACCES:
        case EPERM:
            return "; use the account it belongs to, or another folder with --state";
        case EIO:
            return "; the disk does not take it: see the kernel's log";
        default:
            return "";
    }
}

std::string sentence(const fs::path& path, std::string_view what, int error) {
    return fmt::format("{}: {}: {}{}", path.string(), what, std::generic_category().message(error), advice(error));
}

void throw_record_error(const fs::path& path, std::string_view what) { throw RecordError(sentence(path, what, errno)); }

base::Fd open_folder(const fs::path& path) {
    base::Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) throw_record_error(path, "cannot be opened as a folder");
    return fd;
}

base::Fd enter_folder(int parent, const std::string& name, const fs::path& path) {
    base::Fd fd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd) throw_record_error(path, "cannot be opened as a folder");
    return fd;
}

std::optional<base::Fd> make_folder(int parent, const std::string& name, const fs::path& path) {
    if (::mkdirat(parent, name.c_str(), 0700) != 0) {
        if (errno == EEXIST) return std::nullopt;
        throw_record_error(path, "could not be made");
    }
    if (::fchmodat(parent, name.c_str(), 0700, 0) != 0) throw_record_error(path, "could not get its mode");  // before opening: umask 0777
    base::Fd fd = enter_folder(parent, name, path);
    sync_fd(parent, path.parent_path());
    return fd;
}

bool write_new(int parent, const std::string& name, std::string_view data, const fs::path& path) {
    const base::Fd fd(::openat(parent, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd && errno == EEXIST) return false;
    if (!fd) throw_record_error(path, "could not be made");
    try {
        fill(fd.get(), data, path);
        sync_fd(parent, path.parent_path());
    } catch (const RecordError&) {
        ::unlinkat(parent, name.c_str(), 0);
        throw;
    }
    return true;
}

void make_folders(const fs::path& path) {
    const fs::path whole = fs::absolute(path);
    fs::path above;
    for (const auto& part : whole) {
        const fs::path next = above / part;
        struct stat there {};
        if (!part.empty() && ::stat(next.c_str(), &there) != 0) {
            if (errno != ENOENT) throw_record_error(next, "cannot be looked at");
            if (!make_folder(open_folder(above).get(), part.string(), next)) require_own_folder(next);
        }
        above = next;
    }
    struct stat there {};
    if (::stat(whole.c_str(), &there) != 0) throw_record_error(whole, "cannot be looked at");
    if (!S_ISDIR(there.st_mode)) throw RecordError(whole.string() + ": is no folder; give another with --state");
}

}  // namespace diag::record
