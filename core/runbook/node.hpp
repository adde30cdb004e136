// A strict tree of one YAML document.  Not for writing YAML, and not for other people's YAML: what could be read in
// two ways (duplicate keys, `<<`, tags, numbers with leading zeros) is refused, and a scalar keeps its spelling.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runbook/finding.hpp"

namespace diag::runbook {

struct Entry;

struct Node {
    enum class Kind { null, scalar, list, map };

    Kind kind = Kind::null;
    std::string text;     // of a scalar, as it is written
    bool quoted = false;  // a quoted or block scalar
    Mark mark;            // an alias keeps the place of what it stands for
    std::vector<Node> list;
    std::vector<Entry> map;  // in the order of the file; keys are scalars, each once

    bool is_null() const { return kind == Kind::null; }
    bool is_scalar() const { return kind == Kind::scalar; }
    bool is_list() const { return kind == Kind::list; }
    bool is_map() const { return kind == Kind::map; }

    // The value under `key`, or nullptr.
    const Node* find(std::string_view key) const;
    std::vector<std::string> keys() const;
    // "a list", "a map", "'text'", "nothing": for messages.
    std::string shown() const;
};

struct Entry {
    Node key, value;
};

// Bounds on a document: far above any real one, far below what would hurt.
inline constexpr std::size_t max_file_bytes = std::size_t{1} << 20;
inline constexpr std::size_t max_nodes = 100'000;  // aliases count with all that they stand for
inline constexpr int max_depth = 32;

// Reads one document.  `file` is for messages.  Throws RunbookError.
Node read_yaml(std::string_view text, const std::string& file);

// A file's text for read_yaml().  Throws RunbookError where it cannot be read or is larger than max_file_bytes.
std::string read_text(const std::string& path);

}  // namespace diag::runbook
