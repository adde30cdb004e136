// Reads a journal and says how far it can be believed.  Needs no lock and writes nothing.
// Not for evidence files: verify.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "record/error.hpp"

namespace diag::record {

using json = nlohmann::json;

inline constexpr int journal_format = 1;

// empty: no byte.  torn: no valid line stands behind the last good one, only bytes that are none.
// damaged: a valid line follows a bad one, or a valid line stands where it does not belong.
enum class JournalState { empty, whole, torn, damaged };

struct JournalView {
    JournalState state = JournalState::empty;
    std::vector<json> lines;       // the good lines before the first bad one, `sum` and all
    std::uint64_t good_bytes = 0;  // where the first bad byte is, or the size
    std::uint64_t torn_bytes = 0;  // torn: how many bytes follow
    std::size_t bad_line = 0;      // torn and damaged: its number, from 1
    std::string problem;           // torn and damaged: what is wrong with that line
};

// Throws JournalError when the file is absent, unreadable, or of a newer format.
JournalView read_journal(const std::filesystem::path& path);

}  // namespace diag::record
