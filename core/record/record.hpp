// The record of one run, held for writing: journal + evidence + lock.
// Not for looking (reader.hpp, verify.hpp and records.hpp need no lock), and no judge of what the events mean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/evidence.hpp"
#include "record/journal.hpp"
#include "record/lock.hpp"

namespace diag::record {

inline constexpr std::uint64_t default_size_cap = std::uint64_t{256} << 20;

// Owned by one thread; movable.
class Record {
  public:
    // Makes STATE/records/<runbook>-<UTC time>-<4 hex>/ with its journal, writes `first_event` (event `run`) and
    // points STATE/last at it.  Folders 0700, files 0600, whatever the umask.  `runbook` is [a-z0-9-].
    // Throws RecordError; nothing is left of the record then.
    static Record create(const std::filesystem::path& state, const std::string& runbook, const json& first_event,
                         std::uint64_t size_cap = default_size_cap);

    // Goes on with an existing record (records.hpp find_record gives its folder) and points STATE/last at it.
    // A torn tail is cut and a `torn` event appended; torn() says so.
    // Throws RecordBusy, or JournalError when the journal is damaged, of a newer format, or without any whole line.
    static Record open(const std::filesystem::path& folder, std::uint64_t size_cap = default_size_cap);

    std::string id() const { return folder_.filename().string(); }
    const std::filesystem::path& folder() const { return folder_; }

    // See Journal::append.
    json append(const json& event);

    // See EvidenceStore::store.  Throws RecordFull where the text does not fit under the size cap.
    StoredEvidence store(const EvidencePlace& place, std::string_view name, std::string_view text);

    // 1 + the highest in journal or folders.
    int next_attempt(const std::string& checkpoint) const;

    const std::optional<Torn>& torn() const { return journal_.torn(); }
    // The lines there were before open(); empty after create().
    const std::vector<json>& opened_lines() const { return journal_.opened_lines(); }
    std::uint64_t bytes() const { return evidence_bytes_ + journal_.bytes(); }

  private:
    Record(std::filesystem::path folder, Lock lock, Journal journal, std::uint64_t size_cap);
    void note_attempt(const json& line);

    std::filesystem::path folder_;
    Lock lock_;
    Journal journal_;
    EvidenceStore evidence_;
    std::uint64_t size_cap_, evidence_bytes_ = 0;
    std::map<std::string, int> attempts_;
};

// {"name","path","sha256","bytes"}: what a verdict's `evidence` lists.
json to_json(const StoredEvidence& evidence);

}  // namespace diag::record
