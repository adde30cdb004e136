#include "worker/needs.hpp"

#include <unistd.h>

#include "catch.hpp"

using namespace diag::worker;

TEST_CASE("a program that is there is found, one that is not comes with the command that installs it") {
    CHECK_FALSE(lacking({}));
    CHECK_FALSE(lacking({"program:sh"}));
    const auto lack = lacking({"program:sh", "program:no-such-program-here"});
    REQUIRE(lack);
    CHECK_THAT(lack->text, ContainsSubstring("no-such-program-here"));
    CHECK(lack->remedy == "sudo apt install no-such-program-here");
    CHECK(lacking({"program:"}));
    CHECK(lacking({"program:../bin/sh"}));  // a name, not a path
}

TEST_CASE("root is a need that depends on who asks, an unknown need is never met") {
    CHECK(lacking({"root"}).has_value() == (::geteuid() != 0));
    CHECK_THAT(lacking({"a-unicorn"})->text, ContainsSubstring("a-unicorn"));
}
