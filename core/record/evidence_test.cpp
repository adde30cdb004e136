#include "record/evidence.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/sha256.hpp"
#include "record/record.hpp"
#include "record/test_support.hpp"
#include "record/verify.hpp"

using namespace diag::record;
using namespace diag::record::test;

namespace {

const EvidencePlace mtu{"mtu", 1, "direct: node-a -> node-b", "mtu.path"};

bool safe_part(const std::string& part) {
    const auto allowed = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-'; };
    return !part.empty() && part.size() <= 140 && part[0] != '.' && part[0] != '-' && std::all_of(part.begin(), part.end(), allowed);
}

}  // namespace

TEST_CASE("evidence lies where a person looks for it") {
    const TempFolder temp;
    Record record = Record::create(temp.path(), "bringup", run_event());
    const StoredEvidence stored = record.store(mtu, "probes", "1472 answered\n");
    CHECK(stored.path == "evidence/mtu/1/direct-node-a-node-b/mtu.path-probes.txt");
    CHECK(stored.sha256 == diag::base::sha256("1472 answered\n"));
    CHECK(stored.bytes == 14);
    CHECK(content(record.folder() / stored.path) == "1472 answered\n");
    CHECK(record.store({"ssh", 1, "", "ssh.login"}, "log", "").path == "evidence/ssh/1/ssh.login-log.txt");
}

TEST_CASE("no name from a check leads out of the record, and none overwrites another's file") {
    const TempFolder temp;
    Record record = Record::create(temp.path() / "state", "bringup", run_event());
    const std::vector<std::string> names = {"../../../escape",
                                            "/etc/passwd",
                                            "..",
                                            ".",
                                            "",
                                            "-rf",
                                            ".hidden",
                                            std::string("a\0b", 3),
                                            "a\nb",
                                            "a\x1b[31mb",
                                            std::string(10000, 'x'),
                                            "\xe2\x9c\x93 caf\xc3\xa9",
                                            "\xff\xfe",
                                            "a/b",
                                            "a b",
                                            "a:b",
                                            "a_b",
                                            "CON",
                                            "~",
                                            "$(id)",
                                            "a\\b"};
    std::set<std::string> paths;
    for (const auto& name : names) {
        CAPTURE(name);
        for (const EvidencePlace& place : {mtu, EvidencePlace{"mtu", 1, name, name}}) {
            const StoredEvidence stored = record.store(place, name, "text of " + name);
            CHECK(stored.name == name);
            CHECK(paths.insert(stored.path).second);
            CHECK(content(record.folder() / stored.path) == "text of " + name);
            for (const auto& part : fs::path(stored.path)) CHECK(safe_part(part.string()));
        }
        const int attempt = record.next_attempt(name);
        const StoredEvidence other = record.store({name, attempt, "row", "check"}, "n", "x");
        CHECK(paths.insert(other.path).second);
        for (const auto& part : fs::path(other.path)) CHECK(safe_part(part.string()));
    }
    const auto in = [](const fs::path& folder) { return std::distance(fs::directory_iterator(folder), fs::directory_iterator{}); };
    CHECK(in(temp.path()) == 1);            // state
    CHECK(in(temp.path() / "state") == 2);  // records, last
    CHECK(in(record.folder()) == 3);        // journal.jsonl, lock, evidence
}

TEST_CASE("rows whose labels look alike keep folders of their own") {
    const TempFolder temp;
    Record record = Record::create(temp.path(), "bringup", run_event());
    const auto path = [&](const std::string& row) {
        return fs::path(record.store({"mtu", 1, row, "mtu.path"}, "probes", row).path).parent_path().filename();
    };
    CHECK(path("a -> b") == "a-b");
    CHECK(path("a: b") == "a-b-2");
    CHECK(path("a -> b") == "a-b");
    CHECK(path("a/b") == "a-b-3");
}

TEST_CASE("an attempt's folder is never written by another attempt, nor by another process run") {
    const TempFolder temp;
    fs::path folder;
    {
        Record record = Record::create(temp.path(), "bringup", run_event());
        folder = record.folder();
        CHECK(record.next_attempt("mtu") == 1);
        record.store(mtu, "probes", "first");
        CHECK(record.next_attempt("mtu") == 2);
        CHECK(record.next_attempt("ssh") == 1);
        record.append({{"event", "checkpoint"}, {"checkpoint", "ssh"}, {"attempt", 4}});
        CHECK(record.next_attempt("ssh") == 5);
    }
    Record record = Record::open(folder);
    CHECK(record.next_attempt("mtu") == 2);
    CHECK(record.next_attempt("ssh") == 5);
    CHECK_THAT(error_of([&] { record.store(mtu, "probes", "again"); }), ContainsSubstring("another attempt"));
    CHECK(content(folder / "evidence/mtu/1/direct-node-a-node-b/mtu.path-probes.txt") == "first");
    CHECK(record.store({"mtu", 2, mtu.row, "mtu.path"}, "probes", "again").path ==
          "evidence/mtu/2/direct-node-a-node-b/mtu.path-probes.txt");
}

TEST_CASE("a symbolic link inside the record is not followed") {
    const TempFolder temp;
    Record record = Record::create(temp.path() / "state", "bringup", run_event());
    fs::create_directory(temp.path() / "elsewhere");
    fs::create_directory_symlink(temp.path() / "elsewhere", record.folder() / "evidence" / "mtu");
    CHECK_THAT(error_of([&] { record.store(mtu, "probes", "x"); }), ContainsSubstring("cannot be opened as a folder"));
    CHECK(fs::is_empty(temp.path() / "elsewhere"));
}

TEST_CASE("evidence beyond the record's cap is refused, and the journal still takes lines") {
    const TempFolder temp;
    Record record = Record::create(temp.path(), "bringup", run_event(), 4096);
    record.store(mtu, "small", std::string(1000, 'x'));
    CHECK_THROWS_AS(record.store(mtu, "large", std::string(4096, 'x')), RecordFull);
    CHECK_THROWS_AS(record.store(mtu, "medium", std::string(3000, 'x')), RecordFull);
    CHECK_THAT(error_of([&] { record.store(mtu, "medium", std::string(3000, 'x')); }),
               ContainsSubstring("evidence of 3000 bytes was not kept"));
    const auto folder = record.folder();
    CHECK(record.store(mtu, "small", std::string(1000, 'x')).path.ends_with("mtu.path-small-2.txt"));
    CHECK(record.append({{"event", "verdict"}, {"notes", {"evidence was not kept"}}})["seq"] == 2);
    const std::uint64_t bytes = record.bytes();
    { Record gone = std::move(record); }
    CHECK(Record::open(folder, 4096).bytes() == bytes);
}
