// One line of the journal: how it is sealed, and what makes it valid by itself (its place in the chain is reader.hpp's).
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace diag::record {

using json = nlohmann::json;

// Deepest nesting of a line; a check's own JSON is bounded to 32 before it gets here.
inline constexpr int line_depth = 64;

// Sets `sum` and returns the line without its newline.  The sum is the SHA-256 of the compact dump, keys sorted by
// their bytes, of the object without `sum`.
std::string seal(json& line);

struct CheckedLine {
    json line;            // null where it is none
    bool sealed = false;  // its sum is right: it was written as a line
    std::string problem;  // "" where it is valid by itself
};

CheckedLine check_line(std::string_view text);

}  // namespace diag::record
