#include "lab/state.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "lab/topology.hpp"

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
    try {
        const auto document = base::parse_json(base::read_file(state_path, 4096));
        State state{document.at("nodes"), document.at("ready"), document.at("broken")};
        if (state.nodes >= min_nodes && state.nodes <= max_nodes) return state;
    } catch (const base::json::exception&) {  // told below: what a parser says of it helps nobody
    } catch (const base::BadJson&) {
    } catch (const std::system_error& e) {
        if (e.code() != std::errc::file_too_large) throw;
    }
    throw std::runtime_error(fmt::format("{} is damaged: it does not say what lab is up.  `diag lab down` takes away all that stands of it",
                                         state_path.string()));
}

void save_state(const State& state) {
    const base::json document{{"nodes", state.nodes}, {"ready", state.ready}, {"broken", state.broken}};
    const std::filesystem::path next = state_path.string() + ".new";
    std::filesystem::remove(next);
    base::write_new_file(next, document.dump() + "\n", 0644);
    std::filesystem::rename(next, state_path);
}

bool lab_is_held() {
    const base::Fd fd(::open(state_folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return fd && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
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
