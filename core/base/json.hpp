// JSON from others: bounded in depth, repaired in encoding.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace diag::base {

using json = nlohmann::json;

struct BadJson : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Parses one document.  Invalid UTF-8 becomes U+FFFD (`*replaced` is set); nesting beyond `depth` and syntax
// errors throw BadJson.  (nlohmann parses any depth and then overflows the stack in dump().)
json parse_json(std::string_view text, int depth = 32, bool* replaced = nullptr);

}  // namespace diag::base
