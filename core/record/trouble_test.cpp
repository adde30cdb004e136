// The record when the machine is against it: a full disk, a second process, a kill, a read-only mount.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "record/record.hpp"
#include "record/records.hpp"
#include "record/test_support.hpp"
#include "record/verify.hpp"

using namespace diag::record;
using namespace diag::record::test;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Fills the file system of `path` until not even one byte goes in; leaves `spare` bytes.
void fill_disk(const fs::path& path, std::size_t spare) {
    const diag::base::Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
    must(static_cast<bool>(fd), "the filler can be made");
    const std::string block(4096, 'f');
    off_t size = 0;
    for (ssize_t n = 0; (n = ::write(fd.get(), block.data(), block.size())) > 0;) size += n;
    must(::ftruncate(fd.get(), size - static_cast<off_t>(spare)) == 0, "the filler can be shortened");
}

void run_on_full_disk(const fs::path& state) {
    must(::mount("tmpfs", state.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=256k,mode=0700") == 0, "a tmpfs can be mounted");
    fs::path folder;
    {
        Record record = Record::create(state, "bringup", run_event());
        folder = record.folder();
        const EvidencePlace place{"mtu", 1, "direct", "mtu.path"};
        record.append(verdict_event(place, record.store(place, "probes", "x")));
        for (const std::size_t spare : {std::size_t{0}, std::size_t{4096}, std::size_t{8192}}) {
            fill_disk(state / "filler", spare);
            const std::uint64_t before = fs::file_size(folder / "journal.jsonl");
            const std::string said = error_of([&] { record.append({{"event", "verdict"}, {"reason", std::string(30000, 'r')}}); });
            must(has(said, "No space left on device") && has(said, "free some space"), "a full disk is said, not: " + said);
            must(fs::file_size(folder / "journal.jsonl") == before, "the journal ends with its last whole line");
            const std::string lost = error_of([&] { record.store(place, "large", std::string(30000, 'e')); });
            must(has(lost, "No space left on device"), "lost evidence is said, not: " + lost);
            must(verify_record(folder).findings.empty(), "nothing half-written stays");
            fs::remove(state / "filler");
            record.append({{"event", "checkpoint"}, {"checkpoint", "mtu"}, {"attempt", 1}});
            must(read_journal(folder / "journal.jsonl").state == JournalState::whole, "it goes on once there is space");
        }
        fill_disk(state / "filler", 0);
    }
    must(has(error_of([&] { Record::create(state, "second", run_event()); }), "No space left on device"), "no new record on a full disk");
    must(list_records(state).size() == 1, "and nothing of it stays");
    must(find_record(state, "") == folder, "and the last one is still the last one");
    put(folder / "journal.jsonl", content(folder / "journal.jsonl"));
    fs::remove(state / "filler");
    Record::open(folder).append({{"event", "run-end"}, {"state", "passed"}, {"exit", 0}});
    must(verify_record(folder).intact(), "the record is whole in the end");
}

void look_at_read_only(const fs::path& state, const fs::path& folder) {
    must(::mount(state.c_str(), state.c_str(), nullptr, MS_BIND, nullptr) == 0, "a bind mount can be made");
    must(::mount(nullptr, state.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0, "it can be made read-only");
    must(find_record(state, "") == folder, "the record is found");
    must(read_journal(folder / "journal.jsonl").lines.size() == 2, "it is read");
    must(verify_record(folder).findings.empty(), "it is verified");
    must(list_records(state).size() == 1 && list_records(state)[0].problem.empty(), "it is listed");
    must(prune_records(state, {0, 0, true}).ids.size() == 1, "a dry prune tells what it would do");
    const auto refused = [](const std::string& said) {
        must(has(said, "Read-only file system") && has(said, "not written"), "read-only is said, not: " + said);
    };
    refused(error_of([&] { Record::open(folder); }));
    refused(error_of([&] { Record::create(state, "bringup", run_event()); }));
    refused(error_of([&] { Journal::open(folder / "journal.jsonl"); }));
    refused(error_of([&] { prune_records(state, {0, 0, false}); }));
    must(verify_record(folder).findings.empty(), "and nothing was changed");
}

// A process that holds the record until it is killed; with `program`, after having started one that lives on.
pid_t hold(const fs::path& folder, pid_t* program = nullptr) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that fails half-way leaves nobody waiting
        const Record record = Record::open(folder);
        pid_t started = 0;
        std::string sleep = "sleep", seconds = "30";
        char* const arguments[] = {sleep.data(), seconds.data(), nullptr};
        // A mere fork would hold the lock, too, until it has become a program.
        if (program != nullptr && ::posix_spawnp(&started, "sleep", nullptr, nullptr, arguments, environ) != 0) ::_exit(1);
        if (::write(ends[1], &started, sizeof started) != sizeof started) ::_exit(1);
        for (;;) ::pause();
    }
    pid_t started = 0;
    REQUIRE(::read(ends[0], &started, sizeof started) == sizeof started);
    if (program != nullptr) *program = started;
    ::close(ends[0]);
    ::close(ends[1]);
    return child;
}

}  // namespace

TEST_CASE("a full disk is a clear error, and the record goes on when there is space again") {
    const TempFolder temp;
    std::string complaint;
    if (!with_own_mounts([&] { run_on_full_disk(temp.path()); }, complaint))
        WARN("skipped: this account may not mount a small tmpfs");
    else
        CHECK(complaint == "");
}

TEST_CASE("a line that was written in part is taken back") {
    const TempFolder temp;
    CHECK(in_child([&] {
              ::signal(SIGXFSZ, SIG_IGN);
              Journal journal = Journal::create(temp.path() / "j");
              journal.append(run_event());
              const std::string before = content(temp.path() / "j");
              const rlimit small{before.size() + 100, RLIM_INFINITY};
              must(::setrlimit(RLIMIT_FSIZE, &small) == 0, "the size of files can be limited");
              const std::string said = error_of([&] { journal.append({{"event", "verdict"}, {"reason", std::string(5000, 'r')}}); });
              must(has(said, "File too large") && has(said, "last whole line"), "it is said, not: " + said);
              must(content(temp.path() / "j") == before, "the journal ends with its last whole line");
              const rlimit large{RLIM_INFINITY, RLIM_INFINITY};
              must(::setrlimit(RLIMIT_FSIZE, &large) == 0, "the limit can be lifted");
              must(journal.append({{"event", "run-end"}})["seq"] == 2, "the number was not used up");
              must(read_journal(temp.path() / "j").state == JournalState::whole, "it goes on");
          }) == "");
}

TEST_CASE("a read-only mount can be looked at and verified, and writing there is a clear error") {
    const TempFolder temp;
    fs::path folder;
    {
        Record record = Record::create(temp.path(), "bringup", run_event());
        folder = record.folder();
        const EvidencePlace place{"mtu", 1, "direct", "mtu.path"};
        record.append(verdict_event(place, record.store(place, "probes", "x")));
    }
    std::string complaint;
    if (!with_own_mounts([&] { look_at_read_only(temp.path(), folder); }, complaint))
        WARN("skipped: this account may not make a bind mount");
    else
        CHECK(complaint == "");
}

TEST_CASE("a second process is told who holds the record, and gets it when the first is killed") {
    const TempFolder temp;
    const fs::path folder = Record::create(temp.path(), "bringup", run_event()).folder();
    CHECK_FALSE(Lock::holder(folder));
    pid_t program = 0;
    const pid_t holder = hold(folder, &program);
    CHECK(Lock::holder(folder) == holder);
    CHECK(verify_record(folder).running);
    try {
        Record::open(folder);
        FAIL("two processes hold one record");
    } catch (const RecordBusy& e) {
        CHECK(e.holder == holder);
        CHECK_THAT(e.what(), ContainsSubstring("process " + std::to_string(holder)));
    }
    CHECK(prune_records(temp.path(), {0, 0, false}).ids.empty());
    ::kill(holder, SIGKILL);
    ::waitpid(holder, nullptr, 0);
    CHECK(::kill(program, 0) == 0);  // what the holder started lives on, and does not keep the lock
    // posix_spawn returns once the program has its own memory; the kernel closes the files after that (begin_new_exec, fs/exec.c).
    for (int tries = 0; Lock::holder(folder) && tries < 10000; ++tries) ::usleep(1000);
    CHECK_FALSE(Lock::holder(folder));
    CHECK_NOTHROW(Record::open(folder));
    ::kill(program, SIGKILL);
}

TEST_CASE("one process cannot hold a record twice, and looking does not let go of it") {
    const TempFolder temp;
    const Record record = Record::create(temp.path(), "bringup", run_event());
    CHECK(Lock::holder(record.folder()) == ::getpid());
    CHECK_THROWS_AS(Record::open(record.folder()), RecordBusy);
    list_records(temp.path());
    CHECK_THROWS_AS(Record::open(record.folder()), RecordBusy);
}
