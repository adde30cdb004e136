#include "perfdata.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace diag::exec {
namespace {

constexpr std::size_t most_values = 500;

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

// A finite decimal number at the front of `text`, which is shortened by it.
std::optional<double> take_number(std::string_view& text) {
    if (text.starts_with('+')) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::optional<double> whole_number(std::string_view text) {
    const auto value = take_number(text);
    return text.empty() ? value : std::nullopt;
}

// 'it''s a label' or label; `text` is left at what follows.  Nothing where there is no '=' behind it.
std::optional<std::string> take_label(std::string_view& text) {
    std::string label;
    if (text.starts_with('\'')) {
        std::size_t i = 1;
        for (; i < text.size() && (text[i] != '\'' || text.substr(i).starts_with("''")); ++i) {
            label += text[i];
            if (text[i] == '\'') ++i;
        }
        text.remove_prefix(std::min(text.size(), i + 1));
    } else {
        std::size_t i = 0;
        while (i < text.size() && text[i] != '=' && !blank(text[i])) ++i;
        label = text.substr(0, i);
        text.remove_prefix(i);
    }
    if (label.empty() || !text.starts_with('=')) return std::nullopt;
    text.remove_prefix(1);
    return label;
}

std::string_view take_word(std::string_view& text) {
    std::size_t i = 0;
    while (i < text.size() && !blank(text[i])) ++i;
    const auto word = text.substr(0, i);
    text.remove_prefix(i);
    return word;
}

std::vector<std::string_view> fields_of(std::string_view word) {
    std::vector<std::string_view> fields;
    for (;;) {
        const auto at = word.find(';');
        fields.push_back(word.substr(0, at));
        if (at == std::string_view::npos) return fields;
        word.remove_prefix(at + 1);
    }
}

// One entry behind its label.  Returns what is wrong with it, or "".
std::string read_value(Value& value, std::string_view word) {
    const auto fields = fields_of(word);
    std::string_view uom = fields[0];
    if (uom == "U") return "has no value (U)";
    const auto number = take_number(uom);
    const bool unit = std::all_of(uom.begin(), uom.end(), [](unsigned char c) { return std::isalpha(c) != 0 || c == '%' || c == '/'; });
    if (!number || !unit) return fmt::format("has the value '{}', which is no number", fields[0]);
    value.value = *number;
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
        if (fields.size() <= i || fields[i].empty()) continue;
        auto range = parse_range(fields[i]);
        if (!range) return fmt::format("has the range '{}', which is none", fields[i]);
        (i == 1 ? value.warning : value.critical) = std::move(range);
    }
    value.unit = uom == "B" ? unit::bytes : uom == "c" ? unit::count : uom;
    return "";
}

}  // namespace

Output split_output(std::string_view written) {
    Output output;
    const auto first_end = written.find('\n');
    const std::string_view first = written.substr(0, first_end);
    const auto bar = first.find('|');
    output.text = trimmed(first.substr(0, bar));
    if (bar != std::string_view::npos) output.perfdata = trimmed(first.substr(bar + 1));
    if (first_end == std::string_view::npos) return output;
    const std::string_view rest = written.substr(first_end + 1);
    const auto second_bar = rest.find('|');
    output.long_text = trimmed(rest.substr(0, second_bar));
    if (second_bar != std::string_view::npos) output.perfdata += fmt::format(" {}", trimmed(rest.substr(second_bar + 1)));
    return output;
}

bool Range::alerts(double value) const {
    const bool within = (!low || value >= *low) && (!high || value <= *high);
    return within == inside;
}

std::optional<Limit> Range::limit() const {
    if (inside) return std::nullopt;
    return Limit{low, high};
}

std::optional<Range> parse_range(std::string_view written) {
    Range range;
    range.written = written;
    range.inside = written.starts_with('@');
    if (range.inside) written.remove_prefix(1);
    const auto colon = written.find(':');
    const std::string_view low = colon == std::string_view::npos ? "0" : written.substr(0, colon);
    const std::string_view high = colon == std::string_view::npos ? written : written.substr(colon + 1);
    if (low != "~" && !(range.low = whole_number(low.empty() ? "0" : low))) return std::nullopt;
    if (!high.empty() && !(range.high = whole_number(high))) return std::nullopt;
    if (colon == std::string_view::npos && high.empty()) return std::nullopt;
    if (range.low && range.high && *range.low > *range.high) return std::nullopt;
    return range;
}

Perfdata parse_perfdata(std::string_view written) {
    Perfdata data;
    for (written = trimmed(written); !written.empty(); written = trimmed(written)) {
        if (data.values.size() == most_values) {
            data.problems.push_back(fmt::format("more than {} values; the rest was dropped", most_values));
            break;
        }
        const std::string_view before = written;
        Value value;
        const auto label = take_label(written);
        if (!label) {
            if (written.size() == before.size()) take_word(written);
            const auto passed_over = before.substr(0, std::min<std::size_t>(60, before.size() - written.size()));
            data.problems.push_back(fmt::format("'{}' is no label=value", base::printable(passed_over)));
            continue;
        }
        value.label = base::printable(*label);
        const std::string problem = read_value(value, take_word(written));
        if (problem.empty())
            data.values.push_back(std::move(value));
        else
            data.problems.push_back(fmt::format("'{}' {}", value.label, base::printable(problem)));
    }
    return data;
}

}  // namespace diag::exec
