#include "lab/state.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"

namespace diag::lab {
namespace {

const std::filesystem::path state_path = std::filesystem::path(state_folder) / "state.json";

bool same_file(int fd, const char* path) {
    struct stat held {
    }, named{};
    return ::fstat(fd, &held) == 0 && ::stat(path, &named) == 0 && held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

void take(int fd) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return;
    if (errno != EWOULDBLOCK) base::throw_errno(state_folder);
    fmt::print(stderr, "waiting for another `diag lab` command to finish\n");
    while (::flock(fd, LOCK_EX) != 0)
        if (errno != EINTR) base::throw_errno(state_folder);
}

}  // namespace

State load_state() {
    if (!std::filesystem::exists(state_path)) return {};
    const auto document = base::parse_json(base::read_file(state_path, 4096));
    try {
        return {document.at("nodes"), document.at("ready"), document.at("broken")};
    } catch (const base::json::exception& e) {
        throw std::runtime_error(fmt::format("{}: {}", state_path.string(), e.what()));
    }
}

void save_state(const State& state) {
    const base::json document{{"nodes", state.nodes}, {"ready", state.ready}, {"broken", state.broken}};
    const std::filesystem::path next = state_path.string() + ".new";
    std::filesystem::remove(next);
    base::write_new_file(next, document.dump() + "\n", 0644);
    std::filesystem::rename(next, state_path);
}

Lock::Lock() {
    for (;;) {
        if (::mkdir(state_folder, 0755) != 0 && errno != EEXIST) base::throw_errno(state_folder);
        // Without O_CLOEXEC: see the header.
        fd_.reset(::open(state_folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
        if (!fd_ && errno == ENOENT) continue;
        if (!fd_) base::throw_errno(state_folder);
        take(fd_.get());
        if (same_file(fd_.get(), state_folder)) return;  // else the holder was a `down`, and took the folder away
    }
}

}  // namespace diag::lab
