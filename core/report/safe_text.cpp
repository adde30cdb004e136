#include "report/safe_text.hpp"

#include "base/utf8.hpp"

namespace diag::report {

std::string markdown_text(std::string_view text) {
    std::string safe;
    for (const char c : base::printable(text)) {
        if (c == '<')
            safe += "&lt;";
        else if (c == '&')
            safe += "&amp;";
        else if (std::string_view("\\|`*[]~").find(c) != std::string_view::npos)
            (safe += '\\') += c;
        else
            safe += c;
    }
    return safe;
}

std::string csv_text(std::string_view text) {
    std::string safe = base::printable(text);  // its line ends and tabs are \x0a and \x09 now
    const auto first = safe.find_first_not_of(' ');
    if (first != std::string::npos && std::string_view("=+-@").find(safe[first]) != std::string_view::npos) safe.insert(0, "'");
    if (safe.find_first_of(",\"") == std::string::npos && safe.find(' ') == std::string::npos) return safe;
    std::string quoted = "\"";
    for (const char c : safe) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

}  // namespace diag::report
