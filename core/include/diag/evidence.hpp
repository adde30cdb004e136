// Evidence that is longer than the host takes is cut, with a mark: the verdict beside it must not be lost for a text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <diag/fmt.hpp>
#include <diag/types.hpp>

namespace diag::detail {

// As JSON, in bytes.  The host takes 1 MiB for one event and 16 MiB for all of one check.
inline constexpr std::size_t most_of_one = std::size_t{1000} << 10, most_of_all = std::size_t{12} << 20;

inline std::size_t json_size(const std::string& text) { return json(text).dump(-1, ' ', false, json::error_handler_t::replace).size(); }

// What a byte takes in JSON at most: an escape, or U+FFFD in place of what is not UTF-8.
inline std::size_t json_cost(char c) {
    if (static_cast<unsigned char>(c) >= 0x80) return 3;
    if (static_cast<unsigned char>(c) < 0x20) return std::string_view("\b\t\n\f\r").find(c) != std::string_view::npos ? 2 : 6;
    return c == '"' || c == '\\' ? 2 : 1;
}

// The text itself, or its beginning and a line that says so.
inline std::string cut_evidence(const std::string& text, std::size_t most) {
    if (json_size(text) <= most) return text;
    std::size_t kept = 0;
    for (std::size_t cost = 2; kept < text.size() && (cost += json_cost(text[kept])) <= most;) ++kept;  // 2: its quotes
    while (kept > 0 && (static_cast<unsigned char>(text[kept]) & 0xC0U) == 0x80) --kept;                // inside a character
    return text.substr(0, kept) + fmt::format("\n... cut: {} of {} bytes kept\n", kept, text.size());
}

}  // namespace diag::detail
