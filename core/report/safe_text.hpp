// Text from checks, peers and files, made harmless for the form that it is written in.  For a terminal: base/utf8.hpp.
#pragma once

#include <string>
#include <string_view>

namespace diag::report {

// One cell of a Markdown table: one line, and nothing in it is markup.
std::string markdown_text(std::string_view text);

// One field of RFC 4180, quoted where it must be.  A spreadsheet takes a field that begins with = + - @ for a formula and
// runs it: such a text gets an apostrophe in front (OWASP, "CSV Injection").  Not for numbers of our own: they may be negative.
std::string csv_text(std::string_view text);

}  // namespace diag::report
