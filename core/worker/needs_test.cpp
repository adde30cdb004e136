#include "worker/needs.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "catch.hpp"

using namespace diag::worker;

namespace {

struct Folder {
    std::string path = "/tmp/diag-needs-XXXXXX";
    Folder() {
        if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_CASE("a program that is there is found, one that is not comes with the command that installs it") {
    CHECK_FALSE(lacking({}));
    CHECK_FALSE(lacking({"program:sh"}));
    const auto lack = lacking({"program:sh", "program:no-such-program-here"});
    REQUIRE(lack);
    CHECK_THAT(lack->text, ContainsSubstring("no-such-program-here"));
    CHECK(lack->remedy == "install the package that provides no-such-program-here");
    CHECK(lacking({"program:no-such-program-here=such-a-package"})->remedy == "sudo apt install such-a-package");
    CHECK(lacking({"program:"}));
    CHECK(lacking({"program:../bin/sh"}));  // a name, not a path
}

TEST_CASE("a program that is there and may not be executed is not called absent") {
    const Folder folder;
    const std::string file = folder.path + "/diag-test-program", path = std::getenv("PATH");
    std::ofstream(file) << "#!/bin/sh\n";
    ::setenv("PATH", (folder.path + ":" + path).c_str(), 1);
    const auto lack = lacking({"program:diag-test-program=x"});
    ::chmod(file.c_str(), 0755);
    const auto none = lacking({"program:diag-test-program=x"});
    ::setenv("PATH", path.c_str(), 1);
    REQUIRE(lack);
    CHECK_THAT(lack->text, ContainsSubstring("may not execute " + file) && !ContainsSubstring("PATH"));
    CHECK(lack->remedy == "namei -l " + file);
    CHECK_FALSE(none);
}

TEST_CASE("root is a need that depends on who asks, an unknown need is never met") {
    CHECK(lacking({"root"}).has_value() == (::geteuid() != 0));
    CHECK_THAT(lacking({"a-unicorn"})->text, ContainsSubstring("a-unicorn"));
}
