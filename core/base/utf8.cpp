#include "base/utf8.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace diag::base {
namespace {

struct Decoded {
    std::uint32_t point = 0;
    std::size_t length = 0;  // 0: invalid
};

// The code point at the front of `text`; rejects overlong forms, surrogates and values past U+10FFFF (RFC 3629).
Decoded decode(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
    std::uint32_t point = lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {};
        point = point << 6 | (byte(i) & 0x3FU);
    }
    const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (overlong || surrogate || point > 0x10FFFF) return {};
    return {point, length};
}

bool unsafe_on_terminal(std::uint32_t point) {
    return point < 0x20 || (point >= 0x7F && point < 0xA0) || (point >= 0x200E && point <= 0x200F) ||
           (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) || point == 0x061C || point == 0xFEFF;
}

}  // namespace

std::string clean_utf8(std::string_view text, bool* replaced) {
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const Decoded d = decode(text);
        if (d.length == 0) {
            clean += "\xEF\xBF\xBD";
            if (replaced != nullptr) *replaced = true;
        } else {
            clean += text.substr(0, d.length);
        }
        text.remove_prefix(d.length == 0 ? 1 : d.length);
    }
    return clean;
}

std::string printable(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const Decoded d = decode(text);
        const std::size_t length = d.length == 0 ? 1 : d.length;
        if (d.length == 0 || (d.length == 1 && unsafe_on_terminal(d.point)))
            shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        else if (unsafe_on_terminal(d.point))
            shown += fmt::format("\\u{{{:04x}}}", d.point);
        else
            shown += text.substr(0, length);
        text.remove_prefix(length);
    }
    return shown;
}

std::size_t columns(std::string_view text) {
    std::size_t count = 0;
    for (const char c : text)
        if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++count;
    return count;
}

}  // namespace diag::base
