// A settings file of KEY=value lines, as shells and programs read them.  Values are data: nothing is expanded, nothing is run.
#pragma once

#include <map>
#include <string>

namespace diag::cli {

// Lines `KEY=value`, `export KEY=value`, quotes '...' and "..." around the whole value, `#` comments.  The last of two wins, as in a shell.
// Throws UsageError with file:line where a line is none of these, or where a value needs a shell ($, `...`).
std::map<std::string, std::string> parse_env(const std::string& text, const std::string& file);

}  // namespace diag::cli
