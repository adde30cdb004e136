// The bytes of a YAML file: whether they are text at all, and where a position in them stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runbook/finding.hpp"

namespace diag::runbook {

class SourceText {
  public:
    // Refuses invalid UTF-8 and characters that do not show (controls, bidirectional overrides).  Throws RunbookError.
    // `text` must outlive this object.
    SourceText(std::string_view text, const std::string& file);

    // The mark of a byte column in a line, both counted from 0 as yaml-cpp does.
    Mark mark(int line, int byte_column) const;
    // The whole line, without its end.
    std::string_view line(int line) const;
    // All from there on, without an anchor (&name) in front.
    std::string_view value_at(int line, int byte_column) const;

  private:
    void refuse_unprintable() const;

    std::shared_ptr<const std::string> file_;
    std::string_view text_;
    std::vector<std::string_view> lines_;
};

// The first bytes of `text` that make one character (or one invalid byte).
std::string_view first_character(std::string_view text);

// Whether a person who reads `text` sees all of it: valid UTF-8, no controls but newline and tab.
bool shows_all(std::string_view text);

// Whether a quoted scalar at the front of `text` ends.  (yaml-cpp 0.7 takes the end of the file for its closing quote.)
bool quote_ends(std::string_view text);

}  // namespace diag::runbook
