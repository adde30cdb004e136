// Typed values as people write them: `20s`, `25Gbit`, `9000`, `64KiB`, `80%`.
// Strict on purpose: no sign, no leading zero, no unit that could mean two things.
// Not for parsing what other programs print.
#pragma once

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <diag/fmt.hpp>

namespace diag {

// A value that does not fit its type, or that a check cannot use; what() says what was expected.
struct BadValue : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Bits per second.
struct Rate {
    std::int64_t bits_per_second = 0;
    auto operator<=>(const Rate&) const = default;
};

// Either an amount of its own, or a share of one that is known elsewhere.
struct RateOrFraction {
    std::optional<Rate> rate;
    double fraction = 0;  // above 0 where there is no rate
};

namespace units {

struct Suffix {
    std::string_view text;
    double factor;
};

inline constexpr Suffix durations[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", 86400}};
inline constexpr Suffix rates[] = {{"bit", 1},      {"Kbit", 1e3},   {"kbit", 1e3},   {"Mbit", 1e6},    {"Gbit", 1e9}, {"Tbit", 1e12},
                                   {"Kbit/s", 1e3}, {"Mbit/s", 1e6}, {"Gbit/s", 1e9}, {"Tbit/s", 1e12}, {"bit/s", 1},  {"kbit/s", 1e3}};
inline constexpr Suffix sizes[] = {
    {"", 1},     {"B", 1},    {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0},
    {"KB", 1e3}, {"kB", 1e3}, {"MB", 1e6},   {"GB", 1e9},      {"TB", 1e12}};
inline constexpr Suffix fractions[] = {{"", 1}, {"%", 0.01}};

namespace detail {

// Splits "12.5Gbit" into 12.5 and "Gbit".  Throws BadValue(expected) where there is no plain number in front.
inline double leading_number(std::string_view text, std::string_view& rest, const std::string& expected) {
    std::size_t digits = 0;
    while (digits < text.size() && (std::isdigit(static_cast<unsigned char>(text[digits])) != 0 || text[digits] == '.')) ++digits;
    std::string_view number = text.substr(0, digits);
    const bool leading_zero = number.size() > 1 && number[0] == '0' && number[1] != '.';
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (number.empty() || leading_zero || error != std::errc{} || end != number.data() + number.size()) throw BadValue(expected);
    rest = text.substr(digits);
    return value;
}

inline double scaled(std::string_view text, std::span<const Suffix> suffixes, const std::string& expected) {
    std::string_view rest;
    const double value = leading_number(text, rest, expected);
    for (const auto& suffix : suffixes)
        if (suffix.text == rest) return value * suffix.factor;
    throw BadValue(expected);
}

inline std::int64_t whole(double value, const std::string& expected) {
    if (value > 9.0e18) throw BadValue(expected + " (too large)");
    return std::llround(value);
}

}  // namespace detail

// Seconds.  "0" needs no unit.
inline double parse_duration(std::string_view text) {
    if (text == "0") return 0;
    return detail::scaled(text, durations, "expected a duration such as 20s, 500ms, 2m or 1h");
}

inline Rate parse_rate(std::string_view text) {
    const std::string expected = "expected a rate such as 25Gbit, 2.5Gbit or 100Mbit";
    return {detail::whole(detail::scaled(text, rates, expected), expected)};
}

// Bytes; a bare number is bytes, KiB is 1024, KB is 1000.
inline std::int64_t parse_bytes(std::string_view text) {
    const std::string expected = "expected bytes such as 9000, 64KiB or 2GB";
    const double value = detail::scaled(text, sizes, expected);
    if (value != std::floor(value)) throw BadValue(expected + " (a whole number of bytes)");
    return detail::whole(value, expected);
}

// 0.8 for both "0.8" and "80%".
inline double parse_fraction(std::string_view text) {
    const char* const expected = "expected a fraction from 0 to 1, such as 0.8 or 80%";
    const double value = detail::scaled(text, fractions, expected);
    if (value > 1) throw BadValue(expected);
    return value;
}

// Zero is neither: what must carry nothing is not asked.
inline RateOrFraction parse_rate_or_fraction(std::string_view text) {
    const char* const expected = "expected a rate above 0 such as 25Gbit, or a share above 0 such as 80% or 0.8";
    RateOrFraction found;
    try {
        if (text.ends_with("bit") || text.ends_with("bit/s"))
            found.rate = parse_rate(text);
        else
            found.fraction = parse_fraction(text);
    } catch (const BadValue&) {
        throw BadValue(expected);
    }
    if (found.rate ? found.rate->bits_per_second <= 0 : found.fraction <= 0) throw BadValue(expected);
    return found;
}

inline std::int64_t parse_integer(std::string_view text) {
    const std::string expected = "expected a whole number";
    const bool negative = text.starts_with('-');
    const std::string_view digits = text.substr(negative ? 1 : 0);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool leading_zero = digits.size() > 1 && digits[0] == '0';
    if (error != std::errc{} || end != text.data() + text.size() || leading_zero) throw BadValue(expected);
    return value;
}

inline double parse_number(std::string_view text) {
    const bool negative = text.starts_with('-');
    std::string_view rest;
    const double value = detail::leading_number(text.substr(negative ? 1 : 0), rest, "expected a number");
    if (!rest.empty()) throw BadValue("expected a number");
    return negative ? -value : value;
}

inline bool parse_boolean(std::string_view text) {
    if (text == "true") return true;
    if (text == "false") return false;
    throw BadValue("expected true or false");
}

inline std::string show_duration(double seconds) {
    if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
    if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
    if (seconds < 120) return fmt::format("{:.3g} s", seconds);
    if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
    return fmt::format("{:.3g} h", seconds / 3600);
}

inline std::string show_rate(Rate rate) {
    const auto bits = static_cast<double>(rate.bits_per_second);
    if (bits >= 1e9) return fmt::format("{:.4g} Gbit/s", bits / 1e9);
    if (bits >= 1e6) return fmt::format("{:.4g} Mbit/s", bits / 1e6);
    if (bits >= 1e3) return fmt::format("{:.4g} Kbit/s", bits / 1e3);
    return fmt::format("{} bit/s", rate.bits_per_second);
}

}  // namespace units
}  // namespace diag
