// The append-only journal of one record: JSON lines, chained by digest, each on disk before append() returns.
// Not locked (Record holds the lock), and not for reading: reader.hpp.  docs/record.md has the format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "record/reader.hpp"

namespace diag::record {

// What open() took off the end of a journal.
struct Torn {
    std::string file;  // "torn-1", beside the journal
    std::uint64_t bytes = 0;
};

// Owned by one thread.
class Journal {
  public:
    // A new, empty journal of mode 0600, its name on disk.  Throws RecordError; an existing file is an error.
    static Journal create(const std::filesystem::path& path);

    // An existing journal, to go on with.  What follows its last valid line is saved as torn-N and cut, see torn().
    // Throws JournalError when it is damaged, absent, unreadable, read-only or of a newer format, and RecordError
    // when the torn end could not be saved (nothing is cut then).
    static Journal open(const std::filesystem::path& path);

    // Writes `event` (an object with a text `event`) with seq, time, boottime, boot, prev and sum (the first also
    // with format), and returns the line as written.  The line is on disk then.  Text that is no UTF-8 is
    // replaced, and the line says `repaired: true`.
    // Throws JournalError when it could not be written; the journal then ends with the last whole line, and
    // the next append() may succeed.  Throws std::logic_error for an event that is none.
    json append(json event);

    const std::optional<Torn>& torn() const { return torn_; }
    const std::vector<json>& opened_lines() const { return lines_; }  // the lines there were when it was opened
    std::uint64_t bytes() const { return size_; }

  private:
    Journal(std::filesystem::path path, base::Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
    void cut_torn_tail(const JournalView& view);
    void write_line(const std::string& line);
    void cut_back(const std::string& why);

    std::filesystem::path path_;
    base::Fd fd_;
    std::uint64_t size_ = 0, seq_ = 0;
    std::string prev_;
    bool broken_ = false;  // a failed line could not be cut off again
    std::optional<Torn> torn_;
    std::vector<json> lines_;
};

}  // namespace diag::record
