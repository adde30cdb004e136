// The check with small programs of our own for every case, and with those of the Debian package monitoring-plugins-basic.
#include <diag/abi.h>
#include <diag/testing.hpp>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"

extern "C" const diag_abi* diag_plugin_v1();

using diag::json;
using diag::testing::Answer;

namespace {

// Programs in a folder that root may trust, where we are root: nobody else can write it or what is above.
struct Programs {
    std::filesystem::path folder;
    Programs() {
        std::string name = ::geteuid() == 0 ? "/var/lib/diag-exec-XXXXXX" : "/tmp/diag-exec-XXXXXX";
        folder = ::mkdtemp(name.data());
    }
    ~Programs() { std::filesystem::remove_all(folder); }
    std::string add(const std::string& name, const std::string& text, unsigned mode = 0755) const {
        std::ofstream(folder / name) << text;
        ::chmod((folder / name).c_str(), mode);
        return folder / name;
    }
};

Answer ask(const json& command, double timeout = 60) {
    return diag::testing::ask(*diag_plugin_v1(), "run", {{"command", command}, {"timeout", timeout}});
}

// What comes of a script that prints `text` as it stands and exits with `status`.
Answer ask_script(const std::string& text, int status) {
    const Programs programs;
    return ask({programs.add("check", "#!/bin/sh\ncat <<'EOF'\n" + text + "\nEOF\nexit " + std::to_string(status) + "\n")});
}

json measurement(const Answer& answer, const std::string& name) {
    for (const auto& e : answer.events)
        if (e["event"] == "measurement" && e["name"] == name) return e;
    return json::object();
}

bool no_answer(const Answer& answer, const std::string& word) {
    INFO(answer.reason());
    return answer.error.value("kind", "") == "unknown" && answer.reason().find(word) != std::string::npos;
}

}  // namespace

TEST_CASE("OK passes, WARNING warns, CRITICAL fails, with the program's own text") {
    const Answer ok = ask_script("DISK OK - 93 % free | free=93%;10:;5:", 0);
    CHECK(ok.outcome() == "pass");
    CHECK(ok.reason() == "DISK OK - 93 % free");
    const Answer warning = ask_script("DISK WARNING - 7 % free | free=7%;10:;5:", 1);
    CHECK(warning.outcome() == "warn");
    CHECK(warning.cause() == "exec.warning");
    const Answer critical = ask_script("DISK CRITICAL - 3 % free | free=3%;10:;5:", 2);
    CHECK(critical.outcome() == "fail");
    CHECK(critical.cause() == "exec.critical");
    CHECK(critical.reason() == "DISK CRITICAL - 3 % free");
}

TEST_CASE("UNKNOWN is no answer, and never a pass") { CHECK(no_answer(ask_script("DISK UNKNOWN - no such mount", 3), "no such mount")); }

TEST_CASE("An exit status that the rules do not know is no answer") {
    CHECK(no_answer(ask_script("I am no plugin", 4), "exit status 4"));
    CHECK(no_answer(ask_script("", 255), "it said nothing"));
    const Programs programs;
    CHECK(no_answer(ask({programs.add("check", "#!/bin/sh\necho 'a library is missing' >&2\nexit 127\n")}), "a library is missing"));
}

TEST_CASE("A crash, and a program that does not end, are no answers") {
    const Programs programs;
    CHECK(no_answer(ask({programs.add("crash", "#!/bin/sh\nkill -SEGV $$\n")}), "signal 11"));
    CHECK(no_answer(ask({programs.add("hang", "#!/bin/sh\necho begun\nsleep 600\n")}, 0.5),
                    "did not end in time, and was killed; it said: begun"));
}

TEST_CASE("A program that is not there or cannot be executed is no answer, and is named") {
    const Programs programs;
    CHECK(no_answer(ask({"no-such-program-of-diag"}), "no-such-program-of-diag"));
    CHECK(no_answer(ask({programs.folder / "absent"}), "absent"));
    CHECK(no_answer(ask({programs.add("plain", "#!/bin/sh\n", 0644)}), "plain"));
    CHECK(no_answer(ask({programs.add("text", "exit 0\n")}), "text"));
}

TEST_CASE("A command that names no program is the runbook's fault") {
    for (const json& command : {json::array(), json{""}, json{"./check"}, json{"sub/check"}}) {
        INFO(command.dump());
        CHECK(ask(command).error["kind"] == "parameter");
    }
}

TEST_CASE("As root a program that others can write is not run; the same program is, when they cannot") {
    if (::geteuid() != 0) {
        WARN("skipped: needs root");
        return;
    }
    const Programs programs;
    const std::string path = programs.add("check", "#!/bin/sh\ntouch \"$0.ran\"\n", 0777);
    CHECK(no_answer(ask({path}), "anyone can write"));
    CHECK_FALSE(std::filesystem::exists(path + ".ran"));
    ::chmod(path.c_str(), 0755);
    CHECK(ask({path}).outcome() == "pass");
    CHECK(std::filesystem::exists(path + ".ran"));
}

TEST_CASE("Performance data become measurements with the limits of the range that decided") {
    const std::string data = "x | load=0.5;5;10;0; rta=1500us;3000;5000 mem=40MB temp=60;@80:90;@90:100";
    const Answer ok = ask_script(data, 0);
    CHECK(ok.outcome() == "pass");
    CHECK(measurement(ok, "load") ==
          json{{"event", "measurement"}, {"name", "load"}, {"value", 0.5}, {"unit", ""}, {"min", 0.0}, {"max", 5.0}});
    CHECK(measurement(ok, "rta")["max"] == 3000.0);
    CHECK(measurement(ok, "rta")["unit"] == "us");
    CHECK(measurement(ok, "mem")["max"].is_null());
    CHECK(measurement(ok, "temp")["max"].is_null());
    CHECK_THAT(ok.reason(), ContainsSubstring("'temp' must not be in 80:90"));
    CHECK(measurement(ask_script(data, 2), "load")["max"] == 10.0);
    CHECK(measurement(ask_script(data, 1), "load")["max"] == 5.0);
}

TEST_CASE("OK beside a value outside of its own range is a contradiction, not a pass") {
    const Answer above = ask_script("all is well | load=7;5;10", 0);
    CHECK(above.outcome() == "warn");
    CHECK(above.cause() == "exec.contradiction");
    CHECK_THAT(above.reason(), ContainsSubstring("'load' is 7, and its warning range is 5"));
    CHECK_THAT(ask_script("well | load=70;5;10", 0).reason(), ContainsSubstring("critical range is 10"));
    CHECK(ask_script("well | temp=85;@80:90", 0).cause() == "exec.contradiction");
    CHECK(ask_script("well | load=5;5;10 temp=79;@80:90", 0).outcome() == "pass");
}

TEST_CASE("A value that the cut of too long an output may have shortened is none, and that is said") {
    Programs programs;
    const auto writing = [&](const char* name, int dots) {
        return ask({programs.add(name, "#!/bin/sh\nprintf 'x\\n%0" + std::to_string(dots) + "d|lat=12345ms;20000;30000\\n' 0\n")});
    };
    const int most = 256 << 10;
    const Answer cut = writing("cut", most - 2 - 8);  // "x\n", the dots, and "|lat=123"
    CHECK(cut.outcome() == "pass");
    CHECK(measurement(cut, "lat").empty());
    CHECK_THAT(cut.reason(), ContainsSubstring("more than 256 KiB, and the rest was not read"));
    const Answer whole = writing("whole", most - 2 - 26);
    CHECK(measurement(whole, "lat")["value"] == 12345);
    CHECK(whole.reason() == "x");
}

TEST_CASE("A reason stays readable, whatever a program writes") {
    const Answer answer = ask_script(std::string(5000, 'y') + " | a b c d e f g h", 0);
    CHECK(answer.reason().size() < 1500);
    CHECK_THAT(answer.reason(), ContainsSubstring("5000 bytes in all"));
    CHECK_THAT(answer.reason(), ContainsSubstring("and 3 more"));
}

TEST_CASE("Labels that stand twice, and data that cannot be read, are told and harm nothing") {
    const Answer answer = ask_script("x | a=1 a=2s junk b=U", 0);
    CHECK(answer.outcome() == "pass");
    CHECK(answer.measured("a") == 1);
    CHECK(answer.measured("a #2") == 2);
    CHECK_THAT(answer.reason(), ContainsSubstring("'junk' is no label=value"));
    CHECK_THAT(answer.reason(), ContainsSubstring("'b' has no value"));
}

TEST_CASE("No text, more lines, bytes that are no UTF-8, and control characters") {
    CHECK_THAT(ask_script("", 0).reason(), ContainsSubstring("gave no text, and exit status 0"));
    const Answer lines = ask_script("first | a=1\nsecond\nthird | b=2", 1);
    CHECK(lines.reason() == "first");
    CHECK(lines.measured("b") == 2);
    const Programs programs;
    const Answer wild = ask({programs.add("wild", "#!/bin/sh\nprintf 'red \\033[31m \\377\\n'; exit 2\n")});
    CHECK(wild.reason() == "red \\x1b[31m \\xff");
    CHECK_THAT(json(wild.events).dump(), ContainsSubstring("no UTF-8 were replaced"));
}

TEST_CASE("Arguments reach the program as they are, and output beyond what is kept is said") {
    const Programs programs;
    const std::string echo = programs.add("echo", "#!/bin/sh\nprintf '%s' \"$1\"\n");
    CHECK(ask({echo, "$(id); `id` > /nowhere"}).reason() == "$(id); `id` > /nowhere");
    const Answer much = ask({programs.add("much", "#!/bin/sh\necho short\nhead -c 400000 /dev/zero | tr '\\0' x\n")});
    CHECK(much.reason() == "short (it wrote more than 256 KiB, and the rest was not read)");
    CHECK_THAT(json(much.events).dump(), ContainsSubstring("more than 256 KiB"));
}

TEST_CASE("The monitoring plugins of the distribution are checks as they are") {
    const std::string folder = "/usr/lib/nagios/plugins/";
    if (!std::filesystem::exists(folder + "check_dummy")) {
        WARN("skipped: monitoring-plugins-basic is not installed");
        return;
    }
    const char* const outcomes[] = {"pass", "warn", "fail"};
    for (int status = 0; status < 3; ++status)
        CHECK(ask({folder + "check_dummy", std::to_string(status), "text"}).outcome() == outcomes[status]);
    CHECK(no_answer(ask({folder + "check_dummy", "3"}), "UNKNOWN"));
    const Answer load = ask({folder + "check_load", "-w", "10000,10000,10000", "-c", "20000,20000,20000"});
    INFO(load.reason());
    CHECK(load.outcome() == "pass");
    CHECK(measurement(load, "load1")["max"] == 10000.0);
    const Answer processes = ask({folder + "check_procs", "-w", "100000", "-c", "200000"});
    INFO(processes.reason());
    CHECK(processes.outcome() == "pass");
    CHECK(processes.measured("procs") > 0);
    CHECK(no_answer(ask({folder + "check_load", "-w", "nonsense"}), "check_load"));
}
