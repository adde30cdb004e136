// Text from checks, programs and peers is data: this makes it valid UTF-8, and safe to print.
#pragma once

#include <string>
#include <string_view>

namespace diag::base {

// Valid UTF-8: every invalid byte becomes U+FFFD; `*replaced` is set where that happened.
std::string clean_utf8(std::string_view text, bool* replaced = nullptr);

// One line for a terminal: control characters (C0, DEL, C1, bidirectional overrides, line separators) are
// shown as \xNN or \u{NNNN}.  `text` may be any bytes.
std::string printable(std::string_view text);

// Columns that a printed text takes, one a code point (our own output uses no wide characters).
std::size_t columns(std::string_view text);

}  // namespace diag::base
