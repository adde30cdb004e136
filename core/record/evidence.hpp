// The evidence files of one record, below evidence/<checkpoint>/<attempt>/<row>/.
// Names come from checks and peers: they are made safe, and nothing is ever written outside or over a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.hpp"
#include "record/error.hpp"

namespace diag::record {

// Which check of which row a text belongs to.  `row` is the label, "" where the checkpoint has one row.
struct EvidencePlace {
    std::string checkpoint;
    int attempt = 1;
    std::string row, check;  // check: its id in the row
};

struct StoredEvidence {
    std::string name;  // as the check gave it
    std::string path;  // relative to the record
    std::string sha256;
    std::uint64_t bytes = 0;
};

// Owned by one thread.
class EvidenceStore {
  public:
    // `folder` is the record; its evidence/ must exist.
    explicit EvidenceStore(const std::filesystem::path& folder);

    // One new file, on disk with its folders when this returns.  Throws RecordError when it could not be
    // written (nothing is left of it then), and where the attempt's folder was made by an earlier run.
    StoredEvidence store(const EvidencePlace& place, std::string_view name, std::string_view text);

    // The highest attempt that has a folder, 0 where there is none.
    int highest_attempt(const std::string& checkpoint) const;

  private:
    base::Fd attempt_folder(const EvidencePlace& place, std::string& path);
    base::Fd row_folder(const EvidencePlace& place, std::string& path);

    std::filesystem::path folder_;
    base::Fd evidence_;
    std::set<std::pair<std::string, int>> made_;  // attempt folders that this run made, by checkpoint id
    std::map<std::string, std::string> slugs_;    // folder path + row label -> its folder name
};

// A file name made of any text: only [A-Za-z0-9._-], never hidden, never empty, at most `limit` bytes.
std::string slug(std::string_view text, std::size_t limit = 60);

}  // namespace diag::record
