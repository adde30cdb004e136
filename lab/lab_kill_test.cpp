#include "catch.hpp"
#include "lab/test_support.hpp"

using namespace diag::lab;
using namespace diag::lab::testing;

static bool may_run() {
    if (::geteuid() == 0 && load_state().nodes == 0) return true;
    WARN("skipped: needs root, and no lab on this machine");
    return false;
}

// Instants in milliseconds, from the very first step of a command to after its last.
static std::vector<int> instants(int step) {
    std::vector<int> all;
    for (int at = 0; at < 30; at += step) all.push_back(at);
    for (int at = 30; at < 400; at += 25 * step) all.push_back(at);
    return all;
}

static void kill_at(const std::vector<std::string>& words, int milliseconds, int number) {
    const pid_t pid = start(words);
    pause(milliseconds);
    ::kill(pid, number);
    finish(pid);
}

TEST_CASE("After a SIGKILL anywhere in up, down leaves nothing behind") {
    if (!may_run()) return;
    const std::string before = traces();
    for (const int at : instants(1)) {
        INFO("killed after " << at << " ms");
        kill_at({"up"}, at, SIGKILL);
        CHECK(lab({"down"}) == 0);
        REQUIRE(traces() == before);
    }
}

TEST_CASE("After a SIGKILL anywhere in up, the next up builds a whole lab") {
    if (!may_run()) return;
    REQUIRE(lab({"up"}) == 0);
    const std::string fresh = picture();
    REQUIRE(lab({"down"}) == 0);
    for (const int at : {1, 5, 15, 30, 45, 60}) {
        INFO("killed after " << at << " ms");
        kill_at({"up"}, at, SIGKILL);
        CHECK(lab({"up"}) == 0);
        CHECK(picture() == fresh);
        REQUIRE(lab({"down"}) == 0);
    }
}

TEST_CASE("After a SIGKILL anywhere in break or mend, mend gives a whole lab again") {
    if (!may_run()) return;
    REQUIRE(lab({"up"}) == 0);
    const std::string fresh = picture();
    for (const int at : instants(3)) {
        INFO("killed after " << at << " ms");
        kill_at({"break", "router-filters"}, at, SIGKILL);
        CHECK(lab({"mend"}) == 0);
        CHECK(picture() == fresh);
        kill_at({"mend"}, 3 * at, SIGKILL);
        CHECK(lab({"mend"}) == 0);
        REQUIRE(picture() == fresh);
    }
    CHECK(lab({"down"}) == 0);
}

TEST_CASE("After a SIGKILL anywhere in down, the next down leaves nothing behind") {
    if (!may_run()) return;
    const std::string before = traces();
    for (const int at : {0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30}) {
        INFO("killed after " << at << " ms");
        REQUIRE(lab({"up"}) == 0);
        kill_at({"down"}, at, SIGKILL);
        CHECK(lab({"down"}) == 0);
        REQUIRE(traces() == before);
    }
}

TEST_CASE("A Ctrl-C in the middle of up takes the half-built lab down and ends it by that signal") {
    if (!may_run()) return;
    const std::string before = traces();
    int interrupted = 0;
    for (const int at : {10, 20, 30, 40, 50}) {
        INFO("interrupted after " << at << " ms");
        const pid_t pid = start({"up"});
        pause(at);
        ::kill(pid, SIGINT);
        const int status = finish(pid);
        if (status == 128 + SIGINT) {
            ++interrupted;
            CHECK(traces() == before);
        } else {
            CHECK(status == 0);  // it was done already
            CHECK(lab({"down"}) == 0);
        }
    }
    CHECK(interrupted > 0);
}
