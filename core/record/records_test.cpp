#include "record/records.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <algorithm>

#include "record/record.hpp"
#include "record/test_support.hpp"

using namespace diag::record;
using namespace diag::record::test;

namespace {

// A record that was last written `days` ago.
std::string old_record(const fs::path& state, const std::string& runbook, int days) {
    const fs::path folder = Record::create(state, runbook, run_event()).folder();
    timespec times[2] = {};
    ::clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= days * 86400;
    times[1] = times[0];
    ::utimensat(AT_FDCWD, (folder / "journal.jsonl").c_str(), times, 0);
    return folder.filename().string();
}

unsigned mode(const fs::path& path) {
    struct stat there {};
    REQUIRE(::stat(path.c_str(), &there) == 0);
    return there.st_mode & 07777U;
}

}  // namespace

TEST_CASE("a record is named after its runbook, and is found as the last one") {
    const TempFolder temp;
    const fs::path state = temp.path() / "a/b/state";
    const Record record = Record::create(state, "bring-up2", run_event());
    CHECK(record.id().starts_with("bring-up2-2"));
    CHECK(record.id().size() == std::string("bring-up2-20261130T061500Z-7f3a").size());
    CHECK(find_record(state, "") == record.folder());
    CHECK(find_record(state, record.id()) == record.folder());
    CHECK(find_record(state, record.folder().string()) == record.folder());
    const Record second = Record::create(state, "bring-up2", run_event());
    CHECK(find_record(state, "") == second.folder());
}

TEST_CASE("going on with an older record makes it the last one") {
    const TempFolder temp;
    const fs::path older = Record::create(temp.path(), "a", run_event()).folder();
    Record::create(temp.path(), "b", run_event());
    CHECK(find_record(temp.path(), "") != older);
    Record::open(older);
    CHECK(find_record(temp.path(), "") == older);
}

TEST_CASE("a runbook's name that is no plain name makes no record") {
    const TempFolder temp;
    for (const std::string name : {"", "../x", "a/b", "A", "a b", "-x", "a\n", "caf\xc3\xa9"}) {
        CAPTURE(name);
        CHECK_THAT(error_of([&] { Record::create(temp.path() / "state", name, run_event()); }), ContainsSubstring("a-z, 0-9"));
    }
    CHECK_THROWS_AS(Record::create(temp.path() / "state", std::string(65, 'a'), run_event()), RecordError);
    CHECK_FALSE(fs::exists(temp.path() / "state"));
}

TEST_CASE("nobody else can read a record, whatever the umask") {
    for (const unsigned mask : {0U, 022U, 077U, 0777U}) {
        CAPTURE(mask);
        const TempFolder temp;
        const mode_t before = ::umask(static_cast<mode_t>(mask));
        Record record = Record::create(temp.path() / "state", "bringup", run_event());
        record.store({"mtu", 1, "row", "mtu.path"}, "probes", "x");
        const fs::path folder = record.folder();
        { Record gone = std::move(record); }
        put(folder / "journal.jsonl", content(folder / "journal.jsonl") + "torn");
        Record::open(folder);
        ::umask(before);
        CHECK(mode(temp.path() / "state") == 0700);
        CHECK(mode(temp.path() / "state/last") == 0600);
        for (const auto& entry : fs::recursive_directory_iterator(temp.path() / "state")) {
            CAPTURE(entry.path());
            CHECK(mode(entry.path()) == (entry.is_directory() ? 0700U : 0600U));
        }
        CHECK(fs::exists(folder / "torn-1"));
    }
}

TEST_CASE("a name that is not there brings up the nearest, and no run yet is said") {
    const TempFolder temp;
    CHECK_THAT(error_of([&] { find_record(temp.path(), ""); }), ContainsSubstring("no run was recorded here yet"));
    const std::string id = Record::create(temp.path(), "bringup", run_event()).id();
    std::string wrong = id;
    std::swap(wrong[0], wrong[1]);
    CHECK_THAT(error_of([&] { find_record(temp.path(), wrong); }), ContainsSubstring("did you mean '" + id + "'?"));
    CHECK_THAT(error_of([&] { find_record(temp.path(), "x\x1b[2J"); }), ContainsSubstring("'x\\x1b[2J'"));
    CHECK_THAT(error_of([&] { find_record(temp.path(), "/tmp"); }), ContainsSubstring("is no record"));
    fs::remove_all(temp.path() / "records" / id);
    CHECK_THAT(error_of([&] { find_record(temp.path(), ""); }), ContainsSubstring("is not there any more"));
    put(temp.path() / "last", "../../etc\n");
    CHECK_THAT(error_of([&] { find_record(temp.path(), ""); }), ContainsSubstring("does not hold the name of a record"));
}

TEST_CASE("the list shows every record, newest first, and what is wrong with it") {
    const TempFolder temp;
    CHECK(list_records(temp.path()).empty());
    const std::string old = old_record(temp.path(), "old", 3), damaged = old_record(temp.path(), "damaged", 2),
                      bare = old_record(temp.path(), "bare", 1);
    Record running = Record::create(temp.path(), "running", run_event());
    running.append({{"event", "checkpoint"}});
    fs::create_directory(temp.path() / "records" / "not-a-record");
    const auto where = [&](const std::string& id) { return temp.path() / "records" / id / "journal.jsonl"; };
    const std::string text = content(where(damaged));
    put(where(damaged), "junk\n" + text);
    fs::remove(where(bare));
    const auto records = list_records(temp.path());
    REQUIRE(records.size() == 4);
    const auto of = [&](const std::string& id) {
        return *std::find_if(records.begin(), records.end(), [&](const auto& r) { return r.id == id; });
    };
    CHECK(records.back().id == old);
    CHECK(of(old).problem.empty());
    CHECK(of(old).first["event"] == "run");
    CHECK(of(old).bytes > 100);
    CHECK_FALSE(of(old).running);
    CHECK(of(running.id()).running);
    CHECK(of(running.id()).last["event"] == "checkpoint");
    CHECK_THAT(of(damaged).problem, ContainsSubstring("damaged: line 1"));
    CHECK(of(damaged).first.is_null());
    CHECK_THAT(of(bare).problem, ContainsSubstring("there is no journal"));
}

TEST_CASE("prune keeps the newest and the young, and what a process holds") {
    const TempFolder temp;
    const std::string ten = old_record(temp.path(), "ten", 10), five = old_record(temp.path(), "five", 5),
                      one = old_record(temp.path(), "one", 1);
    const auto left = [&] {
        std::vector<std::string> ids;
        for (const auto& record : list_records(temp.path())) ids.push_back(record.id);
        return ids;
    };
    const Pruned would = prune_records(temp.path(), {1, 4 * 86400.0, true});
    CHECK(would.ids == std::vector<std::string>{five, ten});
    CHECK(left().size() == 3);
    CHECK(prune_records(temp.path(), {3, 0, false}).ids.empty());
    const Pruned did = prune_records(temp.path(), {0, 7 * 86400.0, false});
    CHECK(did.ids == std::vector<std::string>{ten});
    CHECK(did.bytes > 100);
    {
        const Record held = Record::open(temp.path() / "records" / five);
        CHECK(prune_records(temp.path(), {0, 0, true}).ids == std::vector<std::string>{one});
        CHECK(prune_records(temp.path(), {0, 0, false}).ids == std::vector<std::string>{one});
        CHECK(left() == std::vector<std::string>{five});
        CHECK(find_record(temp.path(), "") == held.folder());
    }
    fs::create_directory(temp.path() / "records" / "keep-me");
    fs::create_directory_symlink(temp.path() / "records" / "keep-me", temp.path() / "records" / "link-20261130T061500Z-7f3a");
    fs::create_directories(temp.path() / "records" / (".pruned-" + ten) / "evidence");
    CHECK(prune_records(temp.path(), {0, 0, false}).ids == std::vector<std::string>{five});
    CHECK(left().empty());
    CHECK(fs::exists(temp.path() / "records" / "keep-me"));
    CHECK(fs::exists(temp.path() / "records" / "link-20261130T061500Z-7f3a"));
    CHECK_FALSE(fs::exists(temp.path() / "records" / (".pruned-" + ten)));
    CHECK_THAT(error_of([&] { find_record(temp.path(), ""); }), ContainsSubstring("no run was recorded here yet"));
}

TEST_CASE("a record whose end was torn off goes on, and its journal says so") {
    const TempFolder temp;
    const fs::path folder = Record::create(temp.path(), "bringup", run_event()).folder();
    put(folder / "journal.jsonl", content(folder / "journal.jsonl") + "{\"event\":\"chec");
    {
        const Record record = Record::open(folder);
        REQUIRE(record.torn());
        CHECK(record.torn()->bytes == 14);
        CHECK(record.opened_lines().size() == 1);
    }
    const JournalView view = read_journal(folder / "journal.jsonl");
    CHECK(view.state == JournalState::whole);
    CHECK(view.lines.back()["event"] == "torn");
    CHECK(view.lines.back()["file"] == "torn-1");
    CHECK_FALSE(Record::open(folder).torn());
    put(folder / "journal.jsonl", "{\"event\":\"ru");
    CHECK_THAT(error_of([&] { Record::open(folder); }), ContainsSubstring("has no whole line"));
    CHECK_THAT(error_of([&] { Record::open(temp.path() / "absent"); }), ContainsSubstring("cannot be opened"));
    CHECK_THAT(error_of([&] { Record::open(temp.path()); }), ContainsSubstring("there is no journal here"));
}
