#include "runbook/pattern.hpp"

#include <algorithm>
#include <charconv>

#include "diag/types.hpp"

namespace diag::runbook {
namespace {

constexpr std::size_t most_digits = 9;  // of a number in brackets; far above any count of machines, and never an overflow

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string in_brackets(std::string_view inside) { return "'[" + std::string(inside) + "]'"; }

std::size_t number(std::string_view text, std::string_view inside) {
    if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit))
        throw BadValue("expected numbers and ranges in brackets, such as [001-400] or [1-3,7], not " + in_brackets(inside));
    if (text.size() > most_digits) throw BadValue("a number of more than 9 digits in " + in_brackets(inside));
    std::size_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

void refuse_more(std::size_t count) {
    if (count > max_expanded) throw BadValue("it stands for more than " + std::to_string(max_expanded) + " texts");
}

}  // namespace

Pattern::Range Pattern::range(std::string_view text) {
    const std::size_t dash = std::min(text.find('-'), text.size());
    const std::string_view low = text.substr(0, dash), high = dash == text.size() ? low : text.substr(dash + 1);
    const std::size_t first = number(low, text), last = number(high, text);
    if (last < first) throw BadValue("a range goes from the smaller number to the larger one, not " + in_brackets(text));
    const bool padded = (low.size() > 1 && low[0] == '0') || (high.size() > 1 && high[0] == '0');
    if (padded && low.size() != high.size())
        throw BadValue("with leading zeros, both ends of a range have as many digits; " + in_brackets(text) + " does not");
    refuse_more(last - first + 1);
    return {first, last - first + 1, padded ? low.size() : 1};
}

Pattern::Bracket Pattern::bracket(std::string_view before, std::string_view inside) {
    Bracket made{std::string(before), {}, 0};
    for (std::size_t start = 0; start <= inside.size();) {
        const std::size_t end = std::min(inside.find(',', start), inside.size());
        made.ranges.push_back(range(inside.substr(start, end - start)));
        refuse_more(made.count += made.ranges.back().count);
        start = end + 1;
    }
    return made;
}

Pattern::Pattern(std::string_view text) {
    const std::string_view whole = text;
    for (std::size_t open = text.find('['); open != std::string_view::npos; open = text.find('[')) {
        const std::size_t close = text.find(']', open);
        if (close == std::string_view::npos) throw BadValue("'" + std::string(whole) + "' has a '[' without its ']'");
        brackets_.push_back(bracket(text.substr(0, open), text.substr(open + 1, close - open - 1)));
        refuse_more(count_ *= brackets_.back().count);
        text.remove_prefix(close + 1);
    }
    if (text.find(']') != std::string_view::npos) throw BadValue("'" + std::string(whole) + "' has a ']' without its '['");
    rest_ = text;
}

std::string Pattern::at(std::size_t index) const {
    std::string text;
    std::size_t below = count_;
    for (const auto& bracket : brackets_) {
        below /= bracket.count;
        std::size_t turn = index / below % bracket.count;
        auto range = bracket.ranges.begin();
        for (; turn >= range->count; ++range) turn -= range->count;
        const std::string digits = std::to_string(range->first + turn);
        text += bracket.before + std::string(range->digits - std::min(range->digits, digits.size()), '0') + digits;
    }
    return text + rest_;
}

bool is_pattern(std::string_view text) {
    for (std::size_t open = text.find('['); open != std::string_view::npos; open = text.find('[', open + 1)) {
        const std::size_t close = text.find_first_not_of("0123456789,-", open + 1);
        if (close != std::string_view::npos && close > open + 1 && text[close] == ']') return true;
    }
    return false;
}

}  // namespace diag::runbook
