#include "record/verify.hpp"

#include <sys/stat.h>

#include "record/record.hpp"
#include "record/test_support.hpp"

using namespace diag::record;
using namespace diag::record::test;

namespace {

// A finished record with two evidence files.
struct Finished {
    TempFolder temp;
    fs::path folder;
    std::string path;

    Finished() {
        Record record = Record::create(temp.path(), "bringup", run_event());
        folder = record.folder();
        for (const char* check : {"mtu.interface", "mtu.path"}) {
            const EvidencePlace place{"mtu", 1, "direct", check};
            const StoredEvidence stored = record.store(place, "probes", std::string("text of ") + check);
            record.append(verdict_event(place, stored));
            path = stored.path;
        }
        record.append({{"event", "run-end"}, {"state", "passed"}, {"exit", 0}});
    }
    // The findings once `evidence` stands in a further verdict.
    std::vector<Finding> with(const json& evidence) const {
        Record::open(folder).append({{"event", "verdict"}, {"evidence", evidence}});
        return verify_record(folder).findings;
    }
    std::vector<Finding> findings() const { return verify_record(folder).findings; }
};

json named(const std::string& path) { return json::array({{{"name", "n"}, {"path", path}, {"sha256", std::string(64, '0')}}}); }

}  // namespace

TEST_CASE("a record that is as it was written has no finding") {
    const Finished record;
    const Verification verification = verify_record(record.folder);
    CHECK(verification.findings.empty());
    CHECK(verification.intact());
    CHECK(verification.lines == 4);
    CHECK(verification.evidence_files == 2);
    CHECK_FALSE(verification.running);
}

TEST_CASE("evidence that is altered, missing, replaced or unnamed is told apart") {
    const Finished record;
    const auto only = [&](Problem problem, std::size_t line) {
        const auto findings = record.findings();
        REQUIRE(findings.size() == 1);
        CHECK(to_text(findings[0].problem) == to_text(problem));
        CHECK(findings[0].line == line);
        CHECK(findings[0].path == record.path);
        CHECK_FALSE(findings[0].text.empty());
    };
    const std::string text = content(record.folder / record.path);
    put(record.folder / record.path, text + "!");
    only(Problem::evidence_altered, 3);
    put(record.folder / record.path, "");
    only(Problem::evidence_altered, 3);
    fs::remove(record.folder / record.path);
    only(Problem::evidence_missing, 3);
    fs::create_directory(record.folder / record.path);
    only(Problem::evidence_missing, 3);
    fs::remove(record.folder / record.path);
    REQUIRE(::mkfifo((record.folder / record.path).c_str(), 0600) == 0);
    only(Problem::evidence_missing, 3);  // and it does not hang
    fs::remove(record.folder / record.path);
    put(record.temp.path() / "same", text);
    fs::create_symlink(record.temp.path() / "same", record.folder / record.path);
    only(Problem::evidence_escapes, 3);  // though the content is right
    fs::remove(record.folder / record.path);
    put(record.folder / record.path, text);
    CHECK(record.findings().empty());
}

TEST_CASE("a file that no verdict names is told, and is no damage") {
    const Finished record;
    put(record.folder / "evidence/mtu/1/left-over.txt", "x");
    put(record.folder / "stranger", "x");
    const Verification verification = verify_record(record.folder);
    REQUIRE(verification.findings.size() == 2);
    for (const auto& finding : verification.findings) CHECK(finding.problem == Problem::unnamed_file);
    CHECK(verification.intact());
}

TEST_CASE("a verdict that names a path outside evidence/ is found, wherever it leads") {
    for (const std::string path : {"/etc/passwd", "../../last", "evidence/../journal.jsonl", "journal.jsonl", "evidence", "evidence/",
                                   "evidence//x", "evidence/./x", "", "evidence/mtu/1/../../../journal.jsonl"}) {
        CAPTURE(path);
        const Finished record;
        const auto findings = record.with(named(path));
        REQUIRE(findings.size() == 1);
        CHECK(to_text(findings[0].problem) == to_text(Problem::evidence_escapes));
        CHECK(findings[0].line == 5);
    }
    const Finished record;
    fs::create_directory_symlink("/etc", record.folder / "evidence" / "link");
    const auto findings = record.with(named("evidence/link/passwd"));
    REQUIRE(findings.size() == 2);  // and the link itself is a stranger
    CHECK(findings[0].problem == Problem::evidence_escapes);
    CHECK(findings[1].problem == Problem::unnamed_file);
}

TEST_CASE("a verdict whose evidence is no list of files is found") {
    for (const json& odd : {json("text"), json::object(), json::array({1}), json::array({{{"path", "evidence/x"}}}), json(nullptr)}) {
        CAPTURE(odd.dump());
        const Finished record;
        const auto findings = record.with(odd);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].problem == Problem::evidence_malformed);
        CHECK(findings[0].line == 5);
    }
    const Finished record;
    CHECK(record.with(json::array()).empty());
}

TEST_CASE("a torn end is a finding until it is cut, and none while the record is being written") {
    const Finished record;
    const std::string text = content(record.folder / "journal.jsonl");
    put(record.folder / "journal.jsonl", text + "{");
    const auto torn = record.findings();
    REQUIRE(torn.size() == 1);
    CHECK(torn[0].problem == Problem::journal_torn);
    CHECK(torn[0].line == 5);
    CHECK_FALSE(verify_record(record.folder).intact());
    Record running = Record::open(record.folder);
    CHECK(record.findings().empty());
    std::ofstream(record.folder / "journal.jsonl", std::ios::app) << "{\"half";
    const Verification while_running = verify_record(record.folder);
    CHECK(while_running.running);
    CHECK(while_running.findings.empty());
}

TEST_CASE("an empty journal and an absent one are two answers") {
    const Finished record;
    put(record.folder / "journal.jsonl", "");
    REQUIRE_FALSE(record.findings().empty());
    CHECK(record.findings()[0].problem == Problem::journal_empty);
    fs::remove(record.folder / "journal.jsonl");
    CHECK_THAT(error_of([&] { verify_record(record.folder); }), ContainsSubstring("there is no journal here"));
}
