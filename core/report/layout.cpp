#include "report/layout.hpp"

#include <sstream>

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace diag::report {

using host::Outcome;

std::string wrapped(std::string_view first, std::string_view text, const TextStyle& style) {
    const std::string indent(base::columns(first), ' ');
    const std::size_t room = style.width > indent.size() + 20 ? style.width - indent.size() : 20;
    std::istringstream words(base::printable(text));
    std::string result(first);
    std::size_t used = 0;
    for (std::string word; words >> word;) {
        const std::size_t length = base::columns(word);
        if (used != 0 && used + 1 + length > room) {
            result += "\n" + indent;
            used = 0;
        }
        if (used != 0) result += " ";
        result += word;
        used += length + (used != 0 ? 1 : 0);
    }
    return result + "\n";
}

std::string printable_lines(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const auto end = text.find('\n');
        result += base::printable(text.substr(0, end)) + "\n";
        text = end == std::string_view::npos ? "" : text.substr(end + 1);
    }
    return result;
}

std::string padded(std::string_view text, std::size_t columns) {
    const std::size_t have = base::columns(text);
    if (have <= columns) return std::string(text) + std::string(columns - have, ' ');
    std::string cut(text);
    while (base::columns(cut) > columns - 3) {
        while ((static_cast<unsigned char>(cut.back()) & 0xC0) == 0x80) cut.pop_back();
        cut.pop_back();
    }
    return cut + "...";
}

std::string counted(std::size_t count, std::string_view one) { return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s"); }

std::string glyph(Outcome outcome, const TextStyle& style) {
    switch (outcome) {
        case Outcome::pass:
            return style.utf8 ? "✓" : "+";
        case Outcome::fail:
            return style.utf8 ? "✗" : "x";
        case Outcome::warn:
            return "!";
        case Outcome::skip:
            return "-";
        case Outcome::not_run:
            return "?";
    }
    return " ";
}

std::string painted(Outcome outcome, std::string_view text, const TextStyle& style) {
    if (!style.color || outcome == Outcome::skip) return std::string(text);
    const char* code = outcome == Outcome::pass ? "32" : outcome == Outcome::fail ? "31" : "33";
    return std::string("\x1b[") + code + "m" + std::string(text) + "\x1b[0m";
}

std::string_view dot(const TextStyle& style) { return style.utf8 ? " · " : " - "; }

}  // namespace diag::report
