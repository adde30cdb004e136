// The journal cut, altered and reordered in every way: nothing is lost silently, nothing bad is believed.
#include <algorithm>
#include <set>

#include "record/journal.hpp"
#include "record/test_support.hpp"
#include "record/verify.hpp"

using namespace diag::record;
using namespace diag::record::test;

namespace {

// A short run: four lines, and the text of each with its newline.
struct Sample {
    TempFolder temp;
    fs::path path = temp.path() / "journal.jsonl";
    std::vector<std::string> lines;
    std::string text;

    Sample() {
        Journal journal = Journal::create(path);
        journal.append({{"event", "run"}, {"runbook", {{"name", "b"}}}});
        journal.append({{"event", "checkpoint"}, {"checkpoint", "mtu"}, {"attempt", 1}});
        journal.append(
            {{"event", "verdict"}, {"checkpoint", "mtu"}, {"attempt", 1}, {"reason", "caf\xc3\xa9 \"9000\"\n"}, {"seconds", 1.25}});
        journal.append({{"event", "run-end"}, {"state", "passed"}, {"exit", 0}});
        text = content(path);
        for (std::size_t from = 0; from < text.size(); from += lines.back().size())
            lines.push_back(text.substr(from, text.find('\n', from) + 1 - from));
    }
    JournalView with(const std::vector<std::string>& other) const {
        std::string joined;
        for (const auto& line : other) joined += line;
        put(path, joined);
        return read_journal(path);
    }
};

}  // namespace

TEST_CASE("a journal cut at any byte keeps its whole lines, saves the rest, and goes on") {
    const Sample sample;
    for (std::size_t cut = 0; cut <= sample.text.size(); ++cut) {
        CAPTURE(cut);
        const auto whole =
            static_cast<std::size_t>(std::count(sample.text.begin(), sample.text.begin() + static_cast<std::ptrdiff_t>(cut), '\n'));
        const std::size_t kept = whole == 0 ? 0 : sample.text.rfind('\n', cut - 1) + 1;
        put(sample.path, sample.text.substr(0, cut));
        {
            Journal journal = Journal::open(sample.path);
            REQUIRE(journal.opened_lines().size() == whole);
            REQUIRE(journal.torn().has_value() == (cut > kept));
            REQUIRE(content(sample.path) == sample.text.substr(0, kept));
            if (journal.torn()) {
                REQUIRE(journal.torn()->bytes == cut - kept);
                REQUIRE(content(sample.temp.path() / journal.torn()->file) == sample.text.substr(kept, cut - kept));
                fs::remove(sample.temp.path() / journal.torn()->file);
            }
            REQUIRE(journal.append({{"event", "torn"}})["seq"] == whole + 1);
        }
        const Verification verification = verify_record(sample.temp.path());
        REQUIRE(verification.intact());
        REQUIRE(verification.lines == whole + 1);
    }
}

TEST_CASE("a byte altered anywhere is found: damage, or in the last line a torn end") {
    const Sample sample;
    const std::size_t last_begins = sample.text.size() - sample.lines.back().size();
    for (std::size_t at = 0; at < sample.text.size(); ++at) {
        const char was = sample.text[at];
        for (const char now :
             std::set<char>{static_cast<char>(was ^ 1), static_cast<char>(was ^ 0x20), '\n', ' ', '\0', '\xff', '"', '0'}) {
            if (now == was) continue;
            CAPTURE(at, was, now);
            std::string altered = sample.text;
            altered[at] = now;
            put(sample.path, altered);
            const JournalView view = read_journal(sample.path);
            const auto line =
                1 + static_cast<std::size_t>(std::count(sample.text.begin(), sample.text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
            // The newline before the last line joins both: then neither is valid, and none follows.
            REQUIRE(view.state == (at + 1 >= last_begins ? JournalState::torn : JournalState::damaged));
            REQUIRE(view.bad_line == line);
            REQUIRE(view.lines.size() == line - 1);
            REQUIRE_FALSE(view.problem.empty());
        }
    }
}

TEST_CASE("a byte removed or added anywhere is found") {
    const Sample sample;
    for (std::size_t at = 0; at < sample.text.size(); ++at) {
        CAPTURE(at);
        std::string shorter = sample.text, longer = sample.text;
        shorter.erase(at, 1);
        put(sample.path, shorter);
        const JournalState less = read_journal(sample.path).state;
        REQUIRE((less == JournalState::torn || less == JournalState::damaged));
        for (const char extra : {' ', '\n', 'x'}) {
            std::string spaced = longer;
            spaced.insert(at, 1, extra);
            put(sample.path, spaced);
            const JournalState more = read_journal(sample.path).state;
            REQUIRE((more == JournalState::torn || more == JournalState::damaged));
        }
    }
}

TEST_CASE("a damaged journal is not gone on with, and the line is named") {
    const Sample sample;
    std::string altered = sample.text;
    altered[sample.lines[0].size() + 20] ^= 1;
    put(sample.path, altered);
    const std::string said = error_of([&] { Journal::open(sample.path); });
    CHECK_THAT(said, ContainsSubstring("line 2"));
    CHECK_THAT(said, ContainsSubstring("damaged"));
    CHECK(content(sample.path) == altered);  // and nothing was cut
    CHECK_FALSE(fs::exists(sample.temp.path() / "torn-1"));
    const Verification verification = verify_record(sample.temp.path());
    REQUIRE(verification.findings.size() == 1);
    CHECK(verification.findings[0].problem == Problem::journal_damaged);
    CHECK(verification.findings[0].line == 2);
    CHECK_FALSE(verification.intact());
}

TEST_CASE("lines swapped, removed, repeated or from elsewhere are damage; a tail of nothing but junk is torn") {
    const Sample sample;
    const auto& l = sample.lines;
    for (std::size_t i = 0; i < l.size(); ++i)
        for (std::size_t j = i + 1; j < l.size(); ++j) {
            auto swapped = l;
            std::swap(swapped[i], swapped[j]);
            CHECK(sample.with(swapped).state == JournalState::damaged);
            CHECK(sample.with(swapped).bad_line == i + 1);
        }
    for (std::size_t i = 0; i < l.size(); ++i) {
        auto repeated = l, removed = l;
        repeated.insert(repeated.begin() + static_cast<std::ptrdiff_t>(i), l[i]);
        CHECK(sample.with(repeated).state == JournalState::damaged);
        CHECK(sample.with(repeated).bad_line == i + 2);
        removed.erase(removed.begin() + static_cast<std::ptrdiff_t>(i));
        // A journal that ends earlier is a journal of an earlier moment: that is no damage, and docs/record.md says so.
        CHECK(sample.with(removed).state == (i + 1 == l.size() ? JournalState::whole : JournalState::damaged));
    }
    const Sample other;
    CHECK(sample.with({l[0], other.lines[1], l[2], l[3]}).bad_line == (l[1] == other.lines[1] ? 3u : 2u));
    CHECK(sample.with({l[0], l[1], "junk\n", l[2], l[3]}).state == JournalState::damaged);
    CHECK(sample.with({l[0], l[1], "junk\n", "{}\n", std::string(4096, '\0')}).state == JournalState::torn);
    CHECK(sample.with({l[0], l[1], "\n"}).state == JournalState::torn);
    CHECK(sample.with({"\xef\xbb\xbf" + l[0], l[1]}).state == JournalState::damaged);
}

TEST_CASE("a torn end does not overwrite the one saved before") {
    const Sample sample;
    for (int n = 1; n <= 3; ++n) {
        put(sample.path, sample.text + "torn " + std::to_string(n));
        CHECK(Journal::open(sample.path).torn()->file == "torn-" + std::to_string(n));
    }
    CHECK(content(sample.temp.path() / "torn-1") == "torn 1");
    CHECK(content(sample.temp.path() / "torn-3") == "torn 3");
}
