#include <fstream>
#include <string>

#include "base/file.hpp"
#include "catch.hpp"
#include "lab/faults.hpp"
#include "lab/test_support.hpp"

using namespace diag::lab;
using namespace diag::lab::testing;

// Not where it cannot be, and never where a person's own lab is up.
static bool may_run() {
    if (::geteuid() != 0) {
        WARN("skipped: a lab needs root");
        return false;
    }
    if (load_state().nodes != 0) {
        WARN("skipped: a lab is up on this machine");
        return false;
    }
    return true;
}

TEST_CASE("A command in the lab sees the node's network, names and host name, and its exit status comes back") {
    if (!may_run()) return;
    REQUIRE(lab({"up"}) == 0);
    CHECK(output({"site"}) == "/run/diag-lab/site.yaml\n");
    CHECK(output({"exec", "a", "--", "cat", "/proc/sys/kernel/hostname"}) == "node-a\n");
    CHECK(output({"exec", "node-b", "--", "printenv", "DIAG_MACHINE", "DIAG_SITE", "DIAG_LAB"}) == "node-b\n/run/diag-lab/site.yaml\n1\n");
    CHECK(output({"exec", "a", "ls", "/sys/class/net"}) == "direct\nhouse\nlo\n");
    CHECK_THAT(output({"exec", "a", "--", "getent", "hosts", "node-b-direct"}), ContainsSubstring("node-b-direct.home.arpa"));
    CHECK(lab({"exec", "a", "--", "getent", "hosts", "localhost.example"}) == 2);
    CHECK(lab({"exec", "a", "--", "sh", "-c", "exit 7"}) == 7);
    CHECK(lab({"exec", "a", "--", "/no/such/program"}) == 127);
    CHECK(lab({"exec", "a", "--", "/etc/hosts"}) == 126);
    CHECK(lab({"exec", "c", "--", "true"}) == 64);
    CHECK(lab({"exec", "a", "--", DIAG_LAB_DEV, "down"}) == 64);
    CHECK(lab({"down"}) == 0);
    CHECK(lab({"exec", "a", "--", "true"}) == 64);
}

TEST_CASE("Down leaves no namespace, process, mount or file, and a second lab is refused while one is up") {
    if (!may_run()) return;
    const std::string before = traces();
    REQUIRE(lab({"up", "--nodes", "3"}) == 0);
    CHECK(lab({"up"}) == 0);
    CHECK(lab({"up", "--nodes", "2"}) == 64);
    CHECK(lab_namespaces().size() == 5);
    CHECK(traces() != before);
    CHECK(lab({"down"}) == 0);
    CHECK(traces() == before);
    CHECK(lab({"down"}) == 0);
    CHECK(traces() == before);
}

static std::string state_error() {
    try {
        load_state();
        return "no error";
    } catch (const std::exception& e) {
        return e.what();
    }
}

TEST_CASE("What is kept of the lab and cannot be read is named with the way out, and down takes all away") {
    if (!may_run()) return;
    const std::string before = traces();
    REQUIRE(lab({"up"}) == 0);
    const std::string path = std::string(state_folder) + "/state.json", good = diag::base::read_file(path);
    for (const std::string& bad :
         {std::string("{\"nodes\":2"), std::string(), std::string("[]"), std::string(5000, ' '),
          std::string(R"({"broken":"","nodes":99,"ready":true})"), std::string(R"({"broken":"","nodes":"2","ready":true})")}) {
        INFO(bad.substr(0, 60));
        std::ofstream(path) << bad;
        CHECK(state_error() == path + " is damaged: it does not say what lab is up.  `diag lab down` takes away all that stands of it");
    }
    CHECK(lab({"exec", "a", "--", "true"}) == 3);
    std::ofstream(path) << good;
    CHECK(state_error() == "no error");
    CHECK(lab({"exec", "a", "--", "true"}) == 0);
    std::ofstream(path) << "{";
    CHECK(lab({"down"}) == 0);
    CHECK(traces() == before);
}

TEST_CASE("A lab that another command is at work on is not told as one that was left half built") {
    if (!may_run()) return;
    REQUIRE(lab({"up"}) == 0);
    save_state({2, false, ""});
    CHECK_THAT(errors({"exec", "a", "--", "true"}), ContainsSubstring("is half built"));
    {
        const Lock at_work;
        CHECK_THAT(errors({"exec", "a", "--", "true"}), ContainsSubstring("at work on the lab"));
        save_state({2, true, ""});
        CHECK(lab({"exec", "a", "--", "true"}) == 0);
        save_state({2, false, ""});
    }
    CHECK_THAT(errors({"break", "bridge-1500"}), ContainsSubstring("is half built"));
    CHECK(lab({"down"}) == 0);
}

TEST_CASE("After mend no fault has left anything: the lab is like a fresh one") {
    if (!may_run()) return;
    REQUIRE(lab({"up"}) == 0);
    const std::string fresh = picture();
    for (const Fault& fault : faults()) {
        INFO(fault.name);
        CHECK(lab({"break", fault.name}) == 0);
        CHECK(lab({"mend"}) == 0);
        CHECK(picture() == fresh);
    }
    CHECK(lab({"down"}) == 0);
}

TEST_CASE("A fault changes something that can be seen, and a second one does not stand on the first") {
    if (!may_run()) return;
    REQUIRE(lab({"up"}) == 0);
    const std::string fresh = picture();
    CHECK(lab({"break", "far-1500"}) == 0);
    CHECK(picture() != fresh);
    CHECK(lab({"break", "name-missing"}) == 0);
    const std::string second = picture();
    CHECK(lab({"mend"}) == 0);
    CHECK(lab({"break", "name-missing"}) == 0);
    CHECK(picture() == second);
    CHECK(lab({"down"}) == 0);
}

// A file that one side makes and the other waits for; on a loaded machine a pause says nothing.
struct Signal {
    std::filesystem::path path = fmt::format("/tmp/diag-lab-test-{}-{}", ::getpid(), ++number());
    ~Signal() { std::filesystem::remove(path); }
    void give() const { std::ofstream{path}; }
    bool came() const {
        for (int tries = 0; tries < 600 && !std::filesystem::exists(path); ++tries) pause(50);
        return std::filesystem::exists(path);
    }
    static int& number() {
        static int count = 0;
        return count;
    }
};

TEST_CASE("A shell in the lab lives through break and mend, and sees the names change") {
    if (!may_run()) return;
    REQUIRE(lab({"up"}) == 0);
    const Signal ready, broken;
    const char* script =
        "touch \"$1\"; for i in $(seq 600); do [ -e \"$2\" ] && break; sleep 0.05; done; getent ahostsv4 node-b-direct | grep -q "
        "10.10.1.12";
    const pid_t shell = start({"exec", "a", "--", "sh", "-c", script, "sh", ready.path, broken.path});
    REQUIRE(ready.came());
    CHECK(lab({"break", "name-wrong-path"}) == 0);
    broken.give();
    CHECK(finish(shell) == 0);
    CHECK(lab({"down"}) == 0);
}

TEST_CASE("Down ends what runs in the lab, also what ignores a polite request") {
    if (!may_run()) return;
    REQUIRE(lab({"up"}) == 0);
    const Signal first, second;
    const pid_t polite = start({"exec", "a", "--", "sh", "-c", "touch \"$1\"; exec sleep 60", "sh", first.path});
    const pid_t stubborn = start({"exec", "b", "--", "sh", "-c", "trap '' TERM; touch \"$1\"; sleep 60 & wait; wait", "sh", second.path});
    REQUIRE(first.came());
    REQUIRE(second.came());
    CHECK(lab({"down"}) == 0);
    CHECK(finish(polite) == 128 + SIGTERM);
    CHECK(finish(stubborn) == 128 + SIGKILL);
}

TEST_CASE("A process that only has the pid of a recorded one is not touched") {
    if (!may_run()) return;
    REQUIRE(lab({"up"}) == 0);
    const pid_t bystander = ::fork();
    if (bystander == 0) {
        ::execlp("sleep", "sleep", "60", nullptr);
        ::_exit(125);
    }
    std::ofstream(pids_path, std::ios::app) << bystander << " 1\n";
    CHECK(lab({"down"}) == 0);
    CHECK(::waitpid(bystander, nullptr, WNOHANG) == 0);
    ::kill(bystander, SIGKILL);
    finish(bystander);
}
