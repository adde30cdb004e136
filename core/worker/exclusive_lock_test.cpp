#include "worker/exclusive_lock.hpp"

#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>

#include "catch.hpp"

namespace exclusive_lock_test {

using diag::worker::ExclusiveLock;
namespace fs = std::filesystem;

namespace {

constexpr int tries = 3000;  // of 10 ms: another diag on this machine may hold the real lock for a while

bool take(ExclusiveLock& lock) {
    for (int i = 0; i < tries; ++i) {
        if (lock.try_take()) return true;
        ::usleep(10000);
    }
    return false;
}

// A process of user nobody that takes the lock and holds it until it is killed; 0 where it does not get it.
pid_t nobody_holds() {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::setenv("XDG_RUNTIME_DIR", "/tmp", 1);
        char held = 'n';
        if (::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0) {
            try {
                ExclusiveLock lock;
                held = take(lock) ? 'y' : 'n';
                if (::write(ends[1], &held, 1) == 1) ::pause();
            } catch (const std::system_error&) {
            }
        }
        ::_exit(::write(ends[1], &held, 1) == 1 ? 0 : 1);
    }
    char held = 'n';
    REQUIRE(::read(ends[0], &held, 1) == 1);
    ::close(ends[0]);
    ::close(ends[1]);
    if (held == 'y') return pid;
    ::waitpid(pid, nullptr, 0);
    return 0;
}

void end(pid_t pid) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
}

std::string error_with(const fs::path& lock) {
    ::setenv("DIAG_LOCK", lock.c_str(), 1);
    std::string error = "no error";
    try {
        if (!ExclusiveLock().try_take()) error = "it is held";
    } catch (const std::system_error& e) {
        error = e.what();
    }
    ::unsetenv("DIAG_LOCK");
    return error;
}

}  // namespace

TEST_CASE("every user of a machine waits for the same lock, and is told who holds it") {
    if (::geteuid() != 0) return;
    const pid_t nobody = nobody_holds();
    REQUIRE(nobody != 0);
    ExclusiveLock mine;
    CHECK_FALSE(mine.try_take());
    CHECK_THAT(mine.holder(), ContainsSubstring("process " + std::to_string(nobody) + " ("));
    end(nobody);
    CHECK(take(mine));
}

TEST_CASE("a lock that another user made can be taken, and nothing is ever written to it") {
    if (::geteuid() != 0) return;
    const fs::path path = fs::temp_directory_path() / ("diag-lock-" + std::to_string(::getpid()));
    std::ofstream(path) << "somebody's";
    REQUIRE(::chown(path.c_str(), 1, 1) == 0);
    ::setenv("DIAG_LOCK", path.c_str(), 1);
    const pid_t nobody = nobody_holds();
    CHECK(nobody != 0);
    CHECK_FALSE(ExclusiveLock().try_take());
    if (nobody != 0) end(nobody);
    CHECK(ExclusiveLock().try_take());
    CHECK(fs::file_size(path) == 10);
    fs::remove(path);
    CHECK(error_with(path) == "no error");  // made where it is not there
    fs::remove(path);
}

TEST_CASE("a lock is never looked for behind a symbolic link, nor in a folder that is not there") {
    const fs::path folder = fs::temp_directory_path() / ("diag-locks-" + std::to_string(::getpid()));
    fs::create_directory(folder);
    fs::create_symlink(folder / "target", folder / "link");
    CHECK_THAT(error_with(folder / "link"), ContainsSubstring("link is a symbolic link"));
    CHECK_FALSE(fs::exists(folder / "target"));
    CHECK_THAT(error_with(folder / "absent/lock"), ContainsSubstring("absent/lock: No such file"));
    CHECK(error_with(folder) == "no error");  // a folder is a lock like any other
    fs::remove_all(folder);
}

}  // namespace exclusive_lock_test
