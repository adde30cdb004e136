#include "runbook/source_text.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace diag::runbook {

std::string_view first_character(std::string_view text) {
    std::size_t length = 1;
    while (length < text.size() && length < 4 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
    return text.substr(0, length);
}

bool shows_all(std::string_view text) {
    std::string visible(text);
    std::replace_if(
        visible.begin(), visible.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return base::printable(visible) == visible;
}

SourceText::SourceText(std::string_view text, const std::string& file) : file_(std::make_shared<const std::string>(file)) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark, which yaml-cpp skips as well
    text_ = text;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        std::string_view line = text.substr(start, end - start);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines_.push_back(line);
        start = end + 1;
    }
    refuse_unprintable();
}

void SourceText::refuse_unprintable() const {
    for (std::size_t line = 0; line < lines_.size(); ++line) {
        if (shows_all(lines_[line])) continue;
        std::size_t column = 0;
        while (shows_all(first_character(lines_[line].substr(column)))) column += first_character(lines_[line].substr(column)).size();
        const std::string_view bad = first_character(lines_[line].substr(column));
        bool invalid = false;
        base::clean_utf8(bad, &invalid);
        throw RunbookError(mark(static_cast<int>(line), static_cast<int>(column)),
                           invalid ? "the file is not valid UTF-8 here (" + base::printable(bad) + ")"
                                   : "a character that does not show: " + base::printable(bad) + "");
    }
}

Mark SourceText::mark(int line, int byte_column) const {
    if (line < 0 || line >= static_cast<int>(lines_.size())) return {file_, static_cast<int>(lines_.size()), 1};
    const std::string_view before = lines_[static_cast<std::size_t>(line)].substr(0, static_cast<std::size_t>(std::max(byte_column, 0)));
    return {file_, line + 1, static_cast<int>(base::columns(before)) + 1};
}

std::string_view SourceText::line(int line) const {
    return line < 0 || line >= static_cast<int>(lines_.size()) ? std::string_view() : lines_[static_cast<std::size_t>(line)];
}

std::string_view SourceText::value_at(int line, int byte_column) const {
    const std::string_view whole = this->line(line);
    if (byte_column < 0 || static_cast<std::size_t>(byte_column) > whole.size()) return {};
    std::string_view rest = text_.substr(static_cast<std::size_t>(whole.data() - text_.data() + byte_column));
    if (!rest.starts_with('&')) return rest;
    rest.remove_prefix(std::min(rest.find_first_of(" \t\r\n"), rest.size()));
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    return rest;
}

bool quote_ends(std::string_view text) {
    const char quote = text.empty() ? '\0' : text[0];
    if (quote != '"' && quote != '\'') return true;
    for (std::size_t i = 1; i < text.size(); ++i) {
        const bool escaped = text[i] == '\\' && quote == '"';
        const bool doubled = text[i] == quote && quote == '\'' && i + 1 < text.size() && text[i + 1] == quote;
        if (escaped || doubled)
            ++i;
        else if (text[i] == quote)
            return true;
    }
    return false;
}

}  // namespace diag::runbook
