#include "record/journal.hpp"

#include <sys/stat.h>

#include <cstdint>
#include <limits>

#include "base/json.hpp"
#include "base/sha256.hpp"
#include "record/stamp.hpp"
#include "record/test_support.hpp"

using namespace diag::record;
using namespace diag::record::test;

TEST_CASE("every line says when, in which boot, and continues the one before") {
    const TempFolder temp;
    const fs::path path = temp.path() / "journal.jsonl";
    Journal journal = Journal::create(path);
    const json first = journal.append(run_event());
    const json second = journal.append({{"event", "checkpoint"}, {"checkpoint", "mtu"}, {"attempt", 1}});
    CHECK(first["seq"] == 1);
    CHECK(first["format"] == 1);
    CHECK(first["prev"] == "");
    CHECK(second["seq"] == 2);
    CHECK(second["prev"] == first["sum"]);
    CHECK_FALSE(second.contains("format"));
    CHECK(first["boot"] == boot_identity());
    CHECK(second["boottime"].get<double>() >= first["boottime"].get<double>());
    const std::string time = first["time"];
    CHECK(time.size() == std::string("2026-11-30T06:15:00.123Z").size());
    CHECK(time.back() == 'Z');
    const JournalView view = read_journal(path);
    CHECK(view.state == JournalState::whole);
    CHECK(view.lines == std::vector<json>{first, second});
    CHECK(view.good_bytes == fs::file_size(path));
}

TEST_CASE("the sum is what the documentation says, so that others can check it") {
    const TempFolder temp;
    Journal journal = Journal::create(temp.path() / "j");
    const json line = journal.append(run_event());
    std::string text = content(temp.path() / "j");
    text.pop_back();
    const std::string member = "\"sum\":\"" + line["sum"].get<std::string>() + "\",";
    text.erase(text.find(member), member.size());
    CHECK(diag::base::sha256(text) == line["sum"].get<std::string>());
}

TEST_CASE("absent, unreadable, empty and a folder are four answers") {
    const TempFolder temp;
    CHECK_THAT(error_of([&] { read_journal(temp.path() / "absent"); }), ContainsSubstring("there is no journal here"));
    CHECK_THAT(error_of([&] { read_journal(temp.path()); }), ContainsSubstring("is no file"));
    put(temp.path() / "empty", "");
    CHECK(read_journal(temp.path() / "empty").state == JournalState::empty);
    const fs::path locked = temp.path() / "locked";
    put(locked, "x\n");
    ::chmod(locked.c_str(), 0);
    ::chmod(temp.path().c_str(), 0755);
    CHECK(in_child([&] {
              must(::getuid() != 0 || ::setresuid(65534, 65534, 65534) == 0, "another account could be taken");
              const std::string said = error_of([&] { read_journal(locked); });
              must(said.find("cannot be read: Permission denied") != std::string::npos, "unreadable is said, not: " + said);
          }) == "");
}

TEST_CASE("an empty journal begins with its first line") {
    const TempFolder temp;
    put(temp.path() / "j", "");
    Journal journal = Journal::open(temp.path() / "j");
    CHECK_FALSE(journal.torn());
    CHECK(journal.append(run_event())["seq"] == 1);
    CHECK(read_journal(temp.path() / "j").state == JournalState::whole);
}

TEST_CASE("a journal is never begun over an existing one") {
    const TempFolder temp;
    Journal::create(temp.path() / "j").append(run_event());
    const std::string before = content(temp.path() / "j");
    CHECK_THAT(error_of([&] { Journal::create(temp.path() / "j"); }), ContainsSubstring("exists already"));
    CHECK(content(temp.path() / "j") == before);
}

TEST_CASE("going on continues numbers and chain") {
    const TempFolder temp;
    Journal::create(temp.path() / "j").append(run_event());
    Journal journal = Journal::open(temp.path() / "j");
    CHECK(journal.opened_lines().size() == 1);
    const json line = journal.append({{"event", "run-end"}, {"exit", 0}});
    CHECK(line["seq"] == 2);
    CHECK(read_journal(temp.path() / "j").lines.back() == line);
}

namespace {

// A journal of one line whose sum is right, with these members changed.
fs::path one_line(const TempFolder& temp, const json& changed) {
    json line = {{"event", "run"}, {"seq", 1u}, {"time", "t"}, {"boottime", 1.5}, {"boot", "b"}, {"prev", ""}, {"format", 1}};
    line.merge_patch(changed);
    line["sum"] = diag::base::sha256(line.dump());
    put(temp.path() / "j", line.dump() + "\n");
    return temp.path() / "j";
}

}  // namespace

TEST_CASE("a record of a newer diag is refused by name, an unknown format is damage") {
    const TempFolder temp;
    CHECK(read_journal(one_line(temp, {{"format", 1}})).state == JournalState::whole);
    CHECK_THAT(error_of([&] {
                   read_journal(one_line(temp, {{"format", 2}}));
               }),
               ContainsSubstring("has format 2, and this diag reads up to 1"));
    CHECK_THAT(error_of([&] { Journal::open(one_line(temp, {{"format", 99}})); }), ContainsSubstring("has format 99"));
    for (const json& odd : {json(0), json(-1), json("1"), json(nullptr), json(1.5)})
        CHECK(read_journal(one_line(temp, {{"format", odd}})).state == JournalState::damaged);
}

TEST_CASE("a journal that does not begin at its beginning, or lacks what a line has, is damage") {
    const TempFolder temp;
    for (const json& odd :
         {json{{"seq", 2u}}, json{{"seq", 0u}}, json{{"seq", -1}}, json{{"seq", "1"}}, json{{"seq", nullptr}}, json{{"prev", "x"}},
          json{{"prev", nullptr}}, json{{"event", 1}}, json{{"time", nullptr}}, json{{"boot", nullptr}}, json{{"boottime", "x"}}}) {
        CAPTURE(odd.dump());
        const JournalView view = read_journal(one_line(temp, odd));
        CHECK(view.state == JournalState::damaged);
        CHECK(view.bad_line == 1);
        CHECK_FALSE(view.problem.empty());
    }
}

TEST_CASE("numbers, nesting and bytes of every kind come back as they were written") {
    const TempFolder temp;
    Journal journal = Journal::create(temp.path() / "j");
    json deep = 1;
    for (int i = 0; i < 40; ++i) deep = json::array({deep});
    const json values = {1e22,
                         1e-7,
                         0.1,
                         -0.0,
                         1.0,
                         5e-324,
                         1.7976931348623157e308,
                         std::numeric_limits<std::int64_t>::min(),
                         std::numeric_limits<std::uint64_t>::max(),
                         true,
                         nullptr,
                         "\x7f\x1b\u2028\"\\",
                         std::string("a\0b", 3),
                         deep};
    journal.append({{"event", "verdict"}, {"facts", {{"sum", "x"}, {"values", values}}}, {"seq", 77}, {"sum", "forged"}});
    const JournalView view = read_journal(temp.path() / "j");
    REQUIRE(view.state == JournalState::whole);
    CHECK(view.lines[0]["facts"]["values"] == values);
    CHECK(view.lines[0]["seq"] == 1);
}

TEST_CASE("text that is no UTF-8 is repaired, and the line says so") {
    const TempFolder temp;
    Journal journal = Journal::create(temp.path() / "j");
    const json line = journal.append({{"event", "verdict"}, {"reason", "bad \xff byte"}});
    CHECK(line["reason"] == "bad \xef\xbf\xbd byte");
    CHECK(line["repaired"] == true);
    CHECK_FALSE(journal.append({{"event", "verdict"}, {"reason", "caf\xc3\xa9"}}).contains("repaired"));
    CHECK(read_journal(temp.path() / "j").state == JournalState::whole);
}

TEST_CASE("what is no event, or could not be read back, is never written") {
    const TempFolder temp;
    Journal journal = Journal::create(temp.path() / "j");
    journal.append(run_event());
    json deep = 1;
    for (int i = 0; i < 70; ++i) deep = json::array({deep});
    CHECK_THROWS_AS(journal.append(json::array()), std::logic_error);
    CHECK_THROWS_AS(journal.append({{"no", "event"}}), std::logic_error);
    CHECK_THROWS_AS(journal.append({{"event", "verdict"}, {"facts", deep}}), std::logic_error);
    CHECK(journal.append({{"event", "run-end"}})["seq"] == 2);
    CHECK(read_journal(temp.path() / "j").lines.size() == 2);
}
