// A runbook after checking and expansion: what will run, row by row.  Plain data; the engine executes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace diag::runbook {

using json = nlohmann::json;

struct PlannedCheck {
    std::string check;             // dotted
    std::string id;                // from the runbook, else the dotted name; unique in its row
    std::string machine;           // where it runs
    std::string there;             // the machine at the other end, where the row has two: for a check's other half; else ""
    json params = json::object();  // canonical, as the check receives them
    double timeout = 10;           // seconds of slack above what the check says it takes
    std::string skip;              // not empty: it cannot apply to this row, and why
};

struct PlannedRow {
    std::string label;  // "direct-0: node-a -> node-b", "node-b", or "" where the checkpoint has one row
    std::vector<PlannedCheck> checks = {};
    int round = 0;              // no machine takes part in two rows of one round; from 1, and 0 where the checkpoint has no rounds
    bool side_by_side = false;  // each of its checks says that its rows may run at the same time
};

struct PlannedCheckpoint {
    std::string id, title;
    std::vector<std::string> owner;  // steps for a person
    bool reboot = false;
    std::vector<PlannedRow> rows;  // by round, then in the order of the site file
    std::string no_rows;           // why there are none, where that is as it should be; else ""
};

struct Plan {
    std::string name, title, about;
    std::string machine;  // this machine's key in the site file; "" where no site file is needed
    std::size_t machines = 0, links = 0;
    bool continue_on_failure = false;
    std::vector<PlannedCheckpoint> checkpoints;
    std::vector<std::string> warnings;  // "file:line:column: text"
};

}  // namespace diag::runbook
