#include "report/xml.hpp"

#include "base/utf8.hpp"

namespace diag::report {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// One byte that needs another spelling, or "".
std::string_view spelled(char c) {
    switch (c) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&apos;";
        case '\r':
            return "&#13;";
        case '\n':
        case '\t':
            return "";
        default:
            return static_cast<unsigned char>(c) < 0x20 ? replacement : "";
    }
}

}  // namespace

std::string xml_escaped(std::string_view text) {
    const std::string clean = base::clean_utf8(text);
    std::string escaped;
    escaped.reserve(clean.size());
    for (std::size_t i = 0; i < clean.size(); ++i) {
        const std::string_view rest = std::string_view(clean).substr(i);
        if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
            escaped += replacement;
            i += 2;
        } else if (const auto other = spelled(clean[i]); !other.empty()) {
            escaped += other;
        } else {
            escaped += clean[i];
        }
    }
    return escaped;
}

}  // namespace diag::report
