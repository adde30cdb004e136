#include "host/remedy.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace diag::host {
namespace {

bool is_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_placeholder(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) { return is_alnum(c) || c == '_' || c == '-' || c == '.'; });
}

const json* value_of(std::string_view name, const json& where) {
    const auto at = where.is_object() ? where.find(std::string(name)) : where.end();
    return where.is_object() && at != where.end() && !at->is_null() ? &*at : nullptr;
}

std::string to_word(const json& value) {
    if (value.is_string()) return shell_word(value.get_ref<const std::string&>());
    if (value.is_number_float()) return fmt::format("{}", value.get<double>());
    if (!value.is_array()) return shell_word(value.dump(-1, ' ', false, json::error_handler_t::replace));
    std::string words;
    for (const auto& item : value) {
        if (!words.empty()) words += ' ';
        words += to_word(item);
    }
    return words;
}

}  // namespace

std::string shell_word(std::string_view text) {
    // A leading dash could be read as an option.
    const bool plain = !text.empty() && text.front() != '-' && std::ranges::all_of(text, [](char c) {
        return is_alnum(c) || std::string_view("._:/-%@+,=").find(c) != std::string_view::npos;
    });
    if (plain) return std::string(text);
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string fill_remedy(std::string_view remedy, const json& params, const json& values) {
    std::string filled;
    while (!remedy.empty()) {
        const std::size_t open = std::min(remedy.find('{'), remedy.size());
        filled += remedy.substr(0, open);
        remedy.remove_prefix(open);
        const std::size_t close = remedy.find('}');
        const std::string_view name = close == std::string_view::npos ? "" : remedy.substr(1, close - 1);
        if (!is_placeholder(name)) {
            filled += remedy.substr(0, 1);
            remedy.remove_prefix(std::min<std::size_t>(1, remedy.size()));
            continue;
        }
        const json* value = value_of(name, values);
        if (value == nullptr) value = value_of(name, params);
        filled += value != nullptr ? to_word(*value) : fmt::format("<{}>", name);
        remedy.remove_prefix(close + 1);
    }
    return filled;
}

}  // namespace diag::host
