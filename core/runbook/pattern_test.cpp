#include "runbook/pattern.hpp"

#include "catch.hpp"
#include "diag/types.hpp"

namespace pattern_test {

using namespace diag::runbook;

namespace {

using Texts = std::vector<std::string>;

Texts all(const std::string& text) {
    const Pattern pattern(text);
    Texts found;
    for (std::size_t i = 0; i < pattern.count(); ++i) found.push_back(pattern.at(i));
    return found;
}

std::string error(const std::string& text) {
    try {
        return "no error, but " + std::to_string(Pattern(text).count());
    } catch (const diag::BadValue& e) {
        return e.what();
    }
}

}  // namespace

TEST_CASE("a pattern stands for its texts, with the zeros it is written with") {
    CHECK(all("node-a") == Texts{"node-a"});
    CHECK(all("gpu[08-11].lan") == Texts{"gpu08.lan", "gpu09.lan", "gpu10.lan", "gpu11.lan"});
    CHECK(all("gpu[8-11]") == Texts{"gpu8", "gpu9", "gpu10", "gpu11"});
    CHECK(all("n[1-3,7,09-10]") == Texts{"n1", "n2", "n3", "n7", "n09", "n10"});
    CHECK(all("n[0-1]") == Texts{"n0", "n1"});
    CHECK(all("n[00-01]") == Texts{"n00", "n01"});
    CHECK(all("[7]") == Texts{"7"});
    CHECK(Pattern("gpu[001-400]").at(399) == "gpu400");
}

TEST_CASE("of several brackets the last runs fastest") {
    CHECK(all("10.0.[0-1].[1-3]") == Texts{"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.1.1", "10.0.1.2", "10.0.1.3"});
    CHECK(all("r[1,3]n[1-2]-x") == Texts{"r1n1-x", "r1n2-x", "r3n1-x", "r3n2-x"});
}

TEST_CASE("what reads in two ways, or never ends, is no pattern") {
    CHECK(error("n[3-1]") == "a range goes from the smaller number to the larger one, not '[3-1]'");
    CHECK(error("n[01-100]") == "with leading zeros, both ends of a range have as many digits; '[01-100]' does not");
    CHECK(error("n[1-010]") == "with leading zeros, both ends of a range have as many digits; '[1-010]' does not");
    CHECK(error("n[]") == "expected numbers and ranges in brackets, such as [001-400] or [1-3,7], not '[]'");
    for (const char* text : {"n[a-c]", "n[1-]", "n[-1]", "n[1,]", "n[1--2]", "n[1-2-3]", "n[1 - 2]", "n[[1]]", "n[1-10/2]"})
        CHECK_THAT(error(text), ContainsSubstring("expected numbers and ranges in brackets"));
    CHECK(error("n[1-2") == "'n[1-2' has a '[' without its ']'");
    CHECK(error("n1-2]") == "'n1-2]' has a ']' without its '['");
}

TEST_CASE("a pattern is bounded before anything is made of it") {
    CHECK(error("n[1-100000]") == "no error, but 100000");
    CHECK(error("n[0-100000]") == "it stands for more than 100000 texts");
    CHECK(error("n[1-999999999][1-999999999][1-999999999]") == "it stands for more than 100000 texts");
    CHECK(error("n[1-1000][1-1000]") == "it stands for more than 100000 texts");
    CHECK(error("n[1-60000,1-60000]") == "it stands for more than 100000 texts");
    CHECK(error("n[1-9999999999]") == "a number of more than 9 digits in '[1-9999999999]'");
}

TEST_CASE("brackets that hold no numbers belong to something else") {
    CHECK(is_pattern("gpu[001-400]"));
    CHECK(is_pattern("[::1] and n[3-1]"));
    for (const char* text : {"plain", "[2001:db8::1]:80", "a[]", "[", "x[1-2", "[a-z]"}) CHECK_FALSE(is_pattern(text));
}

}  // namespace pattern_test
