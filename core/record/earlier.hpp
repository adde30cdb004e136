// What the attempts before a resume left: the passes that may count again, and what has changed since.
// Pure: reads the lines of a journal, touches no file.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

namespace diag::record {

using json = nlohmann::json;

class Earlier {
  public:
    // The last pass of a check, and on which machine it was made.
    struct Pass {
        json verdict;  // the journal's line
        std::string machine;
    };

    explicit Earlier(const std::vector<json>& lines);

    // Nothing where the last attempt of its checkpoint failed (all of its rows run again then), or where the check's
    // last verdict in the newest attempt that has one is no pass.
    std::optional<Pass> pass(const std::string& checkpoint, const std::string& row, const std::string& id) const;

    // The rows that failed, or did not run, by checkpoint: of its last whole attempt, and of one that was cut off after it.
    std::map<std::string, std::set<std::string>> failed() const;

  private:
    using Key = std::tuple<std::string, std::string, std::string>;
    void take(const json& line);

    std::map<Key, std::string> machines_;
    std::map<Key, Pass> passes_;
    std::map<std::string, std::set<std::string>> failed_;     // checkpoints whose last whole attempt did, with the rows
    std::map<std::string, std::set<std::string>> unsettled_;  // rows that failed in an attempt that has no end yet
};

// What differs between two maps, one sentence each: "gid was 3, is 4", "driver was mlx5_core, is not told".
std::vector<std::string> differences(const json& before, const json& now);

}  // namespace diag::record
