#include "record/earlier.hpp"

#include "catch.hpp"

using namespace diag::record;

namespace {

json run_line() { return {{"event", "run"}}; }
json check_line() { return {{"event", "check"}, {"checkpoint", "bulk"}, {"row", "direct"}, {"id", "b"}, {"machine", "node-a"}}; }
json verdict_line(const std::string& outcome) {
    return {{"event", "verdict"}, {"checkpoint", "bulk"}, {"row", "direct"}, {"id", "b"}, {"check", "link.bulk"}, {"outcome", outcome}};
}
json end_line(const std::string& outcome) { return {{"event", "checkpoint-end"}, {"checkpoint", "bulk"}, {"outcome", outcome}}; }

bool counts(const std::vector<json>& lines) { return Earlier(lines).pass("bulk", "direct", "b").has_value(); }

}  // namespace

TEST_CASE("a pass counts with its plugin and machine, also where the run was cut off before the checkpoint's end") {
    const auto pass = Earlier({run_line(), check_line(), verdict_line("pass")}).pass("bulk", "direct", "b");
    REQUIRE(pass);
    CHECK(pass->machine == "node-a");
    CHECK(counts({run_line(), check_line(), verdict_line("pass"), end_line("pass")}));
    CHECK(counts({run_line(), check_line(), verdict_line("pass"), end_line("warn")}));
    CHECK_FALSE(Earlier({run_line(), check_line(), verdict_line("pass")}).pass("bulk", "house", "b"));
}

TEST_CASE("no pass of a failed checkpoint counts, and a warning or skip never does") {
    CHECK_FALSE(counts({run_line(), check_line(), verdict_line("pass"), end_line("fail")}));
    CHECK_FALSE(counts({run_line(), check_line(), verdict_line("pass"), end_line("not_run")}));
    CHECK_FALSE(counts({run_line(), check_line(), verdict_line("warn"), end_line("warn")}));
    CHECK_FALSE(counts({run_line(), check_line(), verdict_line("skip")}));
    CHECK_FALSE(counts({run_line(), check_line()}));
}

TEST_CASE("the last verdict is the one that counts") {
    CHECK_FALSE(counts({run_line(), check_line(), verdict_line("pass"), end_line("pass"), check_line(), verdict_line("fail")}));
    CHECK(counts({run_line(), check_line(), verdict_line("fail"), end_line("fail"), check_line(), verdict_line("pass"), end_line("pass")}));
}

TEST_CASE("a failure stays until a whole attempt of its checkpoint is good") {
    using Failed = std::map<std::string, std::set<std::string>>;
    const Failed direct{{"bulk", {"direct"}}};
    const auto failed = [](const std::vector<json>& lines) { return Earlier(lines).failed(); };
    CHECK(failed({run_line(), verdict_line("fail"), end_line("fail")}) == direct);
    CHECK(failed({run_line(), verdict_line("not_run"), end_line("not_run")}) == direct);
    CHECK(failed({run_line(), verdict_line("fail")}) == direct);
    CHECK(failed({run_line(), verdict_line("fail"), end_line("fail"), verdict_line("pass")}) == direct);
    CHECK(failed({run_line(), verdict_line("fail"), end_line("fail"), verdict_line("pass"), end_line("pass")}).empty());
    CHECK(failed({run_line(), verdict_line("warn"), end_line("warn")}).empty());
}

TEST_CASE("differences name what was and what is") {
    CHECK(differences({{"gid", 3}, {"mtu", 9000}}, {{"gid", 4}, {"mtu", 9000}}) == std::vector<std::string>{"gid was 3, is 4"});
    CHECK(differences({{"gid", 3}}, json::object()) == std::vector<std::string>{"gid was 3, is not told"});
    CHECK(differences(json::object(), {{"gid", "x"}}) == std::vector<std::string>{"gid was not told, is x"});
    CHECK(differences({{"gid", nullptr}}, {{"gid", nullptr}}).empty());
}
