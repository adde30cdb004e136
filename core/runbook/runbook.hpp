// A runbook as it is written: checked for its shape, not yet against plugins or a site file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runbook/finding.hpp"
#include "runbook/node.hpp"
#include "runbook/pairs.hpp"

namespace diag::runbook {

// `- plugin.name: {params}`, with `timeout`, `on` and `id` beside it.  Actions have the same shape, without these.
struct Item {
    std::string name;               // dotted
    Mark mark;                      // of the dotted name
    Node params;                    // a map, or null
    std::string id;                 // "" where none is given
    std::optional<double> timeout;  // seconds
    std::optional<Node> on;
};

struct Checkpoint {
    std::string id, title;
    Mark mark;
    std::string each, where;  // "" where none is given
    bool mesh = false;        // of peers: asked from every machine, not from this one only
    Pairs pairs;              // automatic where none are given
    Mark each_mark, where_mark, pairs_mark;
    std::vector<Node> owner;  // scalars
    bool reboot = false;
    std::vector<Item> actions, checks;
    bool sound = true;  // false only in a draft: something is wrong with its shape
};

struct Runbook {
    std::string file, text;  // as it was read, for the record
    std::string name, title, about;
    Node settings;        // a map of scalars and lists, or null
    double timeout = 10;  // seconds
    bool continue_on_failure = false;
    std::vector<Checkpoint> checkpoints;
    std::vector<Finding> faults;  // of its shape; only a draft has any
    bool settings_known = true;   // false only in a draft: what its settings are cannot be told
};

// What can be read of a file, with all that is wrong with its shape.
Runbook draft_runbook(const std::string& text, const std::string& file);
Runbook read_draft(const std::string& path);

// Both throw RunbookError with every error of the file.
Runbook parse_runbook(const std::string& text, const std::string& file);
Runbook read_runbook(const std::string& path);

}  // namespace diag::runbook
