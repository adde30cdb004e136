#include "runbook/node.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "catch.hpp"
#include "runbook/support_for_tests.hpp"

namespace node_test {

using namespace diag::runbook;
using diag::runbook::testing::error_of;

namespace {

std::string error(const std::string& text) {
    return error_of([&] { read_yaml(text, "f"); });
}

std::string repeated(const std::string& text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

}  // namespace

TEST_CASE("a scalar keeps its spelling, its place and whether it was quoted") {
    const Node root = read_yaml("a: 25Gbit\nb: \"9000\"\nc: [0.50, 1e3]\nd: ~\ne:\n", "f");
    CHECK(root.find("a")->text == "25Gbit");
    CHECK_FALSE(root.find("a")->quoted);
    CHECK(root.find("b")->quoted);
    CHECK(to_text(root.find("b")->mark) == "f:2:4");
    CHECK(root.find("c")->list.at(0).text == "0.50");
    CHECK(root.find("c")->list.at(1).text == "1e3");
    CHECK(root.find("d")->is_null());
    CHECK(to_text(root.find("e")->mark) == "f:5:1");
    CHECK(root.find("nope") == nullptr);
}

TEST_CASE("a key that stands twice is an error, where yaml-cpp would silently keep the first") {
    CHECK(error("a: 1\nb: 2\na: 3\n") == "f:3:1: the key 'a' stands twice here; first in line 1");
    CHECK(error("m: {x: 1, \"x\": 2}\n") == "f:1:11: the key 'x' stands twice here; first in line 1");
    CHECK(error("- {x: 1}\n- {x: 2}\n") == "no error");
    CHECK_THAT(error("a: 1\na: 2\na: 3\n"), ContainsSubstring("f:2:1:") && ContainsSubstring("f:3:1:"));
}

TEST_CASE("merging, tags and keys that are no words are errors") {
    CHECK_THAT(error("a: &x {k: 1}\nb:\n  <<: *x\n"), ContainsSubstring("f:3:3: '<<'"));
    CHECK(error("a: \"<<\"\n") == "no error");
    CHECK_THAT(error("a: !!int 3\n"), ContainsSubstring("f:1:4: tags"));
    CHECK_THAT(error("a: !x {b: 1}\n"), ContainsSubstring("f:1:4: tags"));
    CHECK_THAT(error("a: ! [1]\n"), ContainsSubstring("f:1:4: tags"));
    CHECK_THAT(error("a: ! x\n"), ContainsSubstring("f:1:4: tags"));
    CHECK_THAT(error("a: &n ! x\n"), ContainsSubstring("f:1:4: tags"));
    CHECK(error("a: \"!x\"\nb: x!\n") == "no error");
    CHECK(error("? [a]\n: b\n") == "f:1:3: a key must be a plain word, not a list");
    CHECK_THAT(error("~: 1\n"), ContainsSubstring("f:1:1: a key must be a plain word"));
}

TEST_CASE("a number with leading zeros is an error; what only looks like one is not") {
    for (const std::string bad : {"0777", "007", "-08", "+01", "00", "01.5"})
        CHECK_THAT(error("a: " + bad + "\n"), ContainsSubstring("f:1:4: a number with leading zeros, " + bad));
    for (const std::string good :
         {"0", "0.5", "-0.5", "00:11:22:33:44:55", "0000:01:00.0", "\"0777\"", "'007'", "10.0.0.7", "0x1f", "00af"})
        CHECK(error("a: " + good + "\n") == "no error");
}

TEST_CASE("exactly one document with something in it") {
    CHECK(error("") == "f: the file is empty");
    CHECK(error("# only a remark\n") == "f: the file is empty");
    CHECK(error("---\n") == "f: the file is empty");
    CHECK_THAT(error("a: 1\n---\nb: 2\n"), ContainsSubstring("f:2:1: more than one document"));
    CHECK_THAT(error("[a] b\n"), ContainsSubstring("f:1:5:"));
    CHECK(error("---\na: 1\n...\n") == "no error");
}

TEST_CASE("what is no YAML has its place and a hint at the usual slip") {
    CHECK(error("a:\n\tb: 1\n") == "f:2:3: a tab in the indentation; YAML takes spaces only");
    CHECK_THAT(error("a: b: c\n"), ContainsSubstring("f:1:5: not readable as YAML"));
    CHECK_THAT(error("a: {x: ${y}}\n"), ContainsSubstring("write \"${...}\" in quotes"));
    CHECK(error("a: \"${y}\"\n") == "no error");
    CHECK_THAT(error("a: *nope\n"), ContainsSubstring("f:1:4:"));
}

TEST_CASE("a quote that does not end is not taken for the rest of the file") {
    CHECK(error("a: \"x\nb: 1\n") == "f:1:4: a quote that does not end");
    CHECK(error("a: 'it''s\n") == "f:1:4: a quote that does not end");
    CHECK(error("a: &n \"x\\\"\n") == "f:1:4: a quote that does not end");
    CHECK(error("a: 'it''s'\nb: \"x\\\"\"\nc: |\n  \"x\n") == "no error");
}

TEST_CASE("text that a person cannot see is refused, at its column in characters") {
    CHECK(error("\xc3\xa9: \x01\n") == "f:1:4: a character that does not show: \\x01");
    CHECK(error("a: \xff\n") == "f:1:4: the file is not valid UTF-8 here (\\xff)");
    CHECK(error("a: x\rb: y\n") == "f:1:5: a character that does not show: \\x0d");
    CHECK(error("a: \xe2\x80\xae\n") == "f:1:4: a character that does not show: \\u{202e}");
    CHECK(error(std::string("a: \0\n", 5)) == "f:1:4: a character that does not show: \\x00");
    CHECK(error("a: \"\\x1b[1m\"\n") == "f:1:4: a text with control characters");
    CHECK(error("a: \xc3\xa9\r\nb: |\r\n  two\r\n  lines\r\n") == "no error");
    CHECK(error("\xef\xbb\xbf"
                "a: 0777\n")
              .substr(0, 6) == "f:1:4:");
}

TEST_CASE("an alias stands for what it names, and not for itself") {
    const Node root = read_yaml("a: &x {k: [1, 2]}\nb: *x\n", "f");
    CHECK(root.find("b")->find("k")->list.size() == 2);
    CHECK(error("a: &x {b: *x}\n") == "f:1:11: an alias inside the value that it stands for");
}

TEST_CASE("depth is bounded, also where an alias brings it") {
    CHECK(error(repeated("[", 32) + repeated("]", 32)) == "no error");
    CHECK(error(repeated("[", 33) + repeated("]", 33)) == "f:1:33: nested deeper than 32 levels");
    CHECK_THAT(error(repeated("[", 100000)), ContainsSubstring("nested deeper than 32 levels"));
    CHECK_THAT(error(repeated("{a: ", 40)), ContainsSubstring("nested deeper than 32 levels"));
    const std::string deep = "a: &x " + repeated("[", 20) + repeated("]", 20) + "\n";
    CHECK_THAT(error(deep + "b: " + repeated("[", 15) + "*x" + repeated("]", 15)), ContainsSubstring("f:2:19: nested deeper"));
    CHECK(error(deep + "b: " + repeated("[", 5) + "*x" + repeated("]", 5)) == "no error");
}

TEST_CASE("a billion laughs end early") {
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 10; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + repeated(", " + before, 9) + "]\n";
    }
    const auto start = std::chrono::steady_clock::now();
    CHECK_THAT(error(bomb), ContainsSubstring("more than 100000 values, aliases expanded"));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
    CHECK(error("a: &x [1, 2]\nb: [*x, *x, *x]\n") == "no error");
}

TEST_CASE("a file of more than a mebibyte is refused, read or given") {
    const std::string file = (std::filesystem::temp_directory_path() / ("diag-node-" + std::to_string(::getpid()))).string();
    const std::string just = "a: " + repeated("x", max_file_bytes - 4) + "\n";
    CHECK(error(just) == "no error");
    CHECK(error(just + "\n") == "f: the file is larger than 1 MiB");
    std::ofstream(file) << just << "\n";
    CHECK(error_of([&] { read_text(file); }) == file + ": the file is larger than 1 MiB");
    std::filesystem::remove(file);
    CHECK_THAT(error_of([&] { read_text(file); }), ContainsSubstring(file + ": the file cannot be read: No such file"));
}

TEST_CASE("thousands of errors are cut, and that is said") {
    const std::string text = error(repeated("a: 1\n", 5000));
    CHECK_THAT(text, ContainsSubstring("and more that is not listed"));
    CHECK(text.size() < 20000);
}

}  // namespace node_test
