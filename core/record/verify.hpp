// Whether a record is what was written: the journal's chain, and every evidence file that a verdict names.
// Shows damage, not forgery: whoever can rewrite the whole journal can make it whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "record/reader.hpp"

namespace diag::record {

enum class Problem {
    journal_empty,       // no line at all
    journal_torn,        // the last line is not whole; resume cuts it
    journal_damaged,     // resume refuses
    evidence_malformed,  // a verdict's `evidence` is not a list of {name, path, sha256}
    evidence_escapes,    // it names a path outside evidence/, or one that leads through a symbolic link
    evidence_missing,
    evidence_unreadable,
    evidence_altered,  // its digest is not the recorded one
    unnamed_file,      // a file that no line names: left by a crash, or put there.  No damage.
};

std::string_view to_text(Problem problem);

struct Finding {
    Problem problem;
    std::size_t line = 0;  // of the journal, from 1; 0 where none is concerned
    std::string path;      // relative to the record
    std::string text;      // one sentence
    bool damage() const { return problem != Problem::unnamed_file; }
};

struct Verification {
    std::vector<Finding> findings;
    std::size_t lines = 0, evidence_files = 0;  // what was read and is good
    bool running = false;                       // a process holds it: a last line in the making is no finding
    bool intact() const;                        // no finding is damage
};

// Reads only.  Throws JournalError when the journal is absent, unreadable or of a newer format.
Verification verify_record(const std::filesystem::path& folder);

}  // namespace diag::record
