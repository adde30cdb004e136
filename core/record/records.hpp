// All records of one STATE folder: finding, listing, pruning.  Needs no lock, except where something is removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "record/reader.hpp"

namespace diag::record {

// The folder of the record `name`: an id, a path (anything with a '/'), or "" for the one last used.
// Throws RecordError with the nearest id where there is none.
std::filesystem::path find_record(const std::filesystem::path& state, const std::string& name);

struct RecordSummary {
    std::string id;
    std::filesystem::path folder;
    json first, last;         // the first and the last good line; null where there is none
    std::uint64_t bytes = 0;  // of all its files
    double idle_seconds = 0;  // since its journal was last written
    bool running = false;     // a process holds it
    std::string problem;      // "" for a whole journal, else one sentence (torn, damaged, unreadable, newer)
};

// Every record, the one last written first.  Empty where STATE has none.  Throws RecordError where STATE is unreadable.
std::vector<RecordSummary> list_records(const std::filesystem::path& state);

struct PruneRule {
    std::size_t keep = 0;           // the newest that stay in any case
    double older_than_seconds = 0;  // of the others, those that were not written for this long are removed
    bool dry_run = false;
};

struct Pruned {
    std::vector<std::string> ids;  // removed, or that would be (dry_run)
    std::uint64_t bytes = 0;
};

// A record that a process holds is never removed, and folders that are no record are never touched.
Pruned prune_records(const std::filesystem::path& state, const PruneRule& rule);

// Points STATE/last at a record, atomically and on disk.
void set_last(const std::filesystem::path& state, const std::string& id);

}  // namespace diag::record
