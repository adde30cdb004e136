// Real programs of this machine: sh is only ever the program under test, with its text as an argument.
#include "probe/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <diag/verdict.hpp>

#include "catch.hpp"

using namespace diag::probe;
using namespace std::chrono_literals;

namespace {

struct Folder {
    std::filesystem::path path;
    Folder() {
        std::string name = "/tmp/diag-subprocess-XXXXXX";
        path = ::mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file(const std::string& name, const std::string& text, unsigned mode) const {
        std::ofstream(path / name) << text;
        ::chmod((path / name).c_str(), mode);
        return path / name;
    }
};

// A process that holds the writing end of this pipe is alive; when all are gone, its reading end says so.
struct Alive {
    Folder folder;
    std::string path = folder.path / "alive";
    diag::base::Fd reader;
    Alive() {
        REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        reader.reset(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    }
    bool everybody_ends() const {
        pollfd end{reader.get(), 0, 0};  // POLLHUP is always asked for
        return ::poll(&end, 1, 60000) == 1 && (end.revents & POLLHUP) != 0;
    }
};

Command shell(const std::string& text, std::chrono::milliseconds timeout = 60s) { return {{"sh", "-c", text}, timeout}; }

}  // namespace

TEST_CASE("Exit status, stdout and stderr come back apart, byte for byte") {
    const Finished done = run(shell("printf 'a\\000b'; printf err >&2; exit 7"));
    CHECK(done.status == 7);
    CHECK(done.signal == 0);
    CHECK_FALSE(done.timed_out);
    CHECK_FALSE(done.cut);
    CHECK(done.out == std::string("a\0b", 3));
    CHECK(done.err == "err");
    CHECK(done.seconds > 0);
}

TEST_CASE("No shell reads the arguments: what would be a command there is plain text") {
    CHECK(run({{"printf", "%s", "$(id); `id` > /nowhere"}}).out == "$(id); `id` > /nowhere");
}

TEST_CASE("A program speaks C, whatever the caller's locale, and gets the variables it was given") {
    ::setenv("LC_ALL", "de_DE.UTF-8", 1);
    Command command = shell("printf '%s %s %s' \"$LC_ALL\" \"$ONE\" \"$HOME\"");
    command.environment = {{"ONE", "1"}, {"HOME", "/elsewhere"}, {"LC_ALL", "fr_FR"}};
    CHECK(run(command).out == "C 1 /elsewhere");
}

TEST_CASE("A program that reads stdin finds it empty") { CHECK(run({{"cat"}}).out.empty()); }

TEST_CASE("A program reads what it is given, whole, and then the end; one that reads nothing of it ends all the same") {
    const std::string much(300'000, 'x');
    CHECK(run({.argv = {"cat"}, .input = "a word\n"}).out == "a word\n");
    CHECK(run({.argv = {"wc", "-c"}, .input = much}).out == "300000\n");
    CHECK(run({.argv = {"true"}, .input = much}).status == 0);
}

TEST_CASE("A program that is not there is absent; one that is there and cannot be executed is unreadable") {
    const Folder folder;
    const std::string plain = folder.file("plain", "#!/bin/sh\n", 0644);
    const std::string orphan = folder.file("orphan", "#!/no/such/interpreter\n", 0755);
    const std::string text = folder.file("text", "echo a shell would run this\n", 0755);
    CHECK_THROWS_AS(run({{"no-such-program-of-diag"}}), diag::Absent);
    CHECK_THROWS_AS(run({{"/no/such/program"}}), diag::Absent);
    CHECK_THROWS_AS(run({{""}}), diag::Absent);
    CHECK_THROWS_AS(run({{}}), diag::Absent);
    for (const std::string& file : {plain, orphan, text, folder.path.string()}) {
        INFO(file);
        CHECK_THROWS_AS(run({{file}}), diag::Unreadable);
    }
}

TEST_CASE("A program that crashes is told from one that exits") {
    const Finished done = run(shell("kill -SEGV $$"));
    CHECK(done.signal == SIGSEGV);
    CHECK(done.status == 0);
    CHECK_FALSE(done.timed_out);
}

TEST_CASE("At the timeout the program and its children are killed, and what was said until then is kept") {
    const Alive alive;
    const Finished done = run(shell("sleep 600 > " + alive.path + " & echo begun; sleep 600", 500ms));
    CHECK(done.timed_out);
    CHECK(done.signal == SIGKILL);
    CHECK(done.out == "begun\n");
    CHECK(alive.everybody_ends());
}

TEST_CASE("A program ends with its exit, though a child in the background holds its output open; the child goes with it") {
    const Alive alive;
    const Finished done = run(shell("exec 3> " + alive.path + "; sleep 600 & echo done"));
    CHECK_FALSE(done.timed_out);
    CHECK(done.status == 0);
    CHECK(done.out == "done\n");
    CHECK(alive.everybody_ends());
}

TEST_CASE("Output above the cap is dropped and said, and the program still runs to its end") {
    Command command = shell("head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2; exit 3");
    command.most_output = 1000;
    const Finished done = run(command);
    CHECK(done.cut);
    CHECK(done.out.size() == 1000);
    CHECK(done.err.size() == 1000);
    CHECK(done.status == 3);
    command.most_output = 300000;
    CHECK_FALSE(run(command).cut);
}

TEST_CASE("A program inherits no descriptor of ours, and its signals are as usual") {
    const int open_to_all = ::open("/dev/null", O_RDONLY);
    ::signal(SIGPIPE, SIG_IGN);
    CHECK(run(shell("ls /proc/self/fd | wc -l")).out == "4\n");  // three, and the folder that ls reads
    CHECK(run(shell("kill -PIPE $$")).signal == SIGPIPE);
    ::signal(SIGPIPE, SIG_DFL);
    ::close(open_to_all);
}

TEST_CASE("A running program can be watched, and ends with its object") {
    const Alive alive;
    {
        Subprocess running(shell("echo begun; exec sleep 600 > " + alive.path));
        while (running.so_far().out.empty()) CHECK_FALSE(running.wait_for(0ms));  // no patience still looks
        CHECK(running.so_far().out == "begun\n");
    }
    CHECK(alive.everybody_ends());
}

TEST_CASE("A program ends with the process that started it, though that was killed and could end nothing") {
    const Alive alive;
    const pid_t parent = ::fork();
    if (parent == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that fails half-way leaves nobody waiting
        Subprocess running(shell("echo begun; exec sleep 600 > " + alive.path));
        while (running.so_far().out.empty()) running.wait_for(20ms);
        ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(parent, nullptr, 0);
    pollfd end{alive.reader.get(), 0, 0};
    CHECK(::poll(&end, 1, 5000) == 1);
}

TEST_CASE("A program that is asked to end may say a last word") {
    Subprocess running(shell("trap 'echo last; exit 5' TERM; echo ready; while :; do sleep 0.05; done"));
    while (running.so_far().out.empty()) running.wait_for(20ms);
    running.terminate();
    CHECK(running.finish().out == "ready\nlast\n");
    CHECK(running.so_far().status == 5);
}

TEST_CASE("A program that was stopped by its caller has not timed out") {
    Subprocess running(shell("exec sleep 600"));
    CHECK(running.stop().signal == SIGKILL);
    CHECK_FALSE(running.finish().timed_out);
    CHECK(running.wait_for(0ms));
}
