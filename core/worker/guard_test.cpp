#include "worker/guard.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catch.hpp"

namespace guard_test {

namespace {

// Its reading end tells when the last process that holds the other one has gone.
struct Held {
    int ends[2] = {-1, -1};
    Held() { REQUIRE(::pipe(ends) == 0); }
    ~Held() { ::close(ends[0]); }
    bool gone(int patience) const {
        pollfd end{ends[0], 0, 0};
        return ::poll(&end, 1, patience) == 1;
    }
};

// A process that lets go of its session and of `other`, and holds what else is open; it ends by itself.
pid_t sleeper(int other) {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    ::setsid();
    ::close(other);
    ::sleep(30);
    ::_exit(0);
}

}  // namespace

TEST_CASE("what a killed worker leaves is ended by its guard, and what was there before it is spared") {
    Held left, before;
    const pid_t guard = ::fork();
    if (guard == 0) {
        const pid_t users = sleeper(left.ends[1]);
        const int status = diag::worker::guarded([&] {
            sleeper(before.ends[1]);
            ::raise(SIGKILL);
            return 0;
        });
        ::_exit(users > 0 ? status : 1);
    }
    ::close(left.ends[1]);
    ::close(before.ends[1]);
    int status = 0;
    REQUIRE(::waitpid(guard, &status, 0) == guard);
    CHECK(WIFSIGNALED(status));
    CHECK(left.gone(2000));
    CHECK_FALSE(before.gone(200));
}

}  // namespace guard_test
