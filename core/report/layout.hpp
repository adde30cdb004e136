// Words into lines: wrapping, padding, glyphs and colours of the text report.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/result.hpp"
#include "report/text.hpp"

namespace diag::report {

// `text` made printable and wrapped to the style's width; the first line starts with `first`, later ones with spaces.
std::string wrapped(std::string_view first, std::string_view text, const TextStyle& style);

// A text of many lines, each made printable; ends with a newline unless it is empty.
std::string printable_lines(std::string_view text);

// `text` cut or filled to `columns`.
std::string padded(std::string_view text, std::size_t columns);

// "1 row", "2 rows".
std::string counted(std::size_t count, std::string_view one);

std::string glyph(host::Outcome outcome, const TextStyle& style);
std::string painted(host::Outcome outcome, std::string_view text, const TextStyle& style);

// The style's spelling of a separator: a middle dot, or a plain '-'.
std::string_view dot(const TextStyle& style);

}  // namespace diag::report
