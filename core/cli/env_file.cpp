#include "cli/env_file.hpp"

#include <cctype>
#include <cstddef>
#include <sstream>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "cli/options.hpp"

namespace diag::cli {
namespace {

bool is_key(const std::string& text) {
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return false;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
    return true;
}

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

struct Place {
    const std::string& file;
    std::size_t line;
    [[noreturn]] void refuse(const std::string& what) const {
        throw UsageError(fmt::format("{}:{}: {}", base::printable(file), line, what));
    }
};

// What stands behind the '=', without its quotes and without a comment.
std::string value_of(const std::string& written, const Place& place) {
    const std::string text = trimmed(written);
    const char quote = text.empty() ? '\0' : text.front();
    std::string value, rest;
    if (quote == '"' || quote == '\'') {
        const auto end = text.find(quote, 1);
        if (end == std::string::npos) place.refuse("the quote is not closed on this line");
        value = text.substr(1, end - 1);
        rest = trimmed(text.substr(end + 1));
    } else {
        const auto end = text.find_first_of(" \t");
        value = text.substr(0, end);
        rest = end == std::string::npos ? "" : trimmed(text.substr(end));
        if (!value.empty() && value.front() == '#' && written.front() != '#') return "";  // a '#' begins a comment behind a blank only
    }
    if (!rest.empty() && rest.front() != '#') place.refuse("a value with spaces needs quotes");
    if (quote != '\'' && value.find_first_of("$`\\") != std::string::npos)
        place.refuse("the value needs a shell ($, ` or \\); write it out");
    const bool quoted = quote == '"' || quote == '\'';
    if (!quoted && (value.starts_with('~') || value.find_first_of(";&|<>()") != std::string::npos))
        place.refuse("the value needs a shell (~ ; & | < > or a bracket); write it out, or in quotes");
    return value;
}

}  // namespace

std::map<std::string, std::string> parse_env(const std::string& text, const std::string& file) {
    std::map<std::string, std::string> values;
    std::istringstream lines(text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        const Place place{file, ++number};
        if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);  // what some editors put before UTF-8
        std::string rest = trimmed(line);
        if (rest.empty() || rest.front() == '#') continue;
        if (rest.starts_with("export ") || rest.starts_with("export\t")) rest = trimmed(rest.substr(7));
        const auto equals = rest.find('=');
        if (equals == std::string::npos || !is_key(rest.substr(0, equals))) place.refuse("expected KEY=value");
        values[rest.substr(0, equals)] = value_of(rest.substr(equals + 1), place);
    }
    return values;
}

}  // namespace diag::cli
