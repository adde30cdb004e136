// What a plugin says about its parameters and measurements: types, units, limits, movers.
// Plain data with a JSON spelling; both sides of the plugin boundary use it.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <diag/units.hpp>

namespace diag {

using json = nlohmann::json;

enum class ParamType { text, integer, number, boolean, duration, rate, bytes, fraction, list, rate_or_fraction };

namespace type {
inline constexpr auto text = ParamType::text;
inline constexpr auto integer = ParamType::integer;
inline constexpr auto number = ParamType::number;
inline constexpr auto boolean = ParamType::boolean;
inline constexpr auto duration = ParamType::duration;
inline constexpr auto rate = ParamType::rate;
inline constexpr auto bytes = ParamType::bytes;
inline constexpr auto fraction = ParamType::fraction;
inline constexpr auto list = ParamType::list;
inline constexpr auto rate_or_fraction = ParamType::rate_or_fraction;
inline constexpr std::array<std::string_view, 10> names = {"text", "integer", "number",   "boolean", "duration",
                                                           "rate", "bytes",   "fraction", "list",    "rate_or_fraction"};
}  // namespace type

inline std::string_view to_text(ParamType type) { return type::names.at(static_cast<std::size_t>(type)); }

inline std::optional<ParamType> param_type(std::string_view name) {
    for (std::size_t i = 0; i < type::names.size(); ++i)
        if (type::names[i] == name) return static_cast<ParamType>(i);
    return std::nullopt;
}

// A written scalar as the JSON that a check receives: duration in seconds (number), rate in bit/s,
// bytes, integer as integers, number and fraction as numbers, rate_or_fraction as it was written.  Throws BadValue.  Not for lists.
inline json typed_value(ParamType type, std::string_view text) {
    switch (type) {
        case ParamType::integer:
            return units::parse_integer(text);
        case ParamType::number:
            return units::parse_number(text);
        case ParamType::boolean:
            return units::parse_boolean(text);
        case ParamType::duration:
            return units::parse_duration(text);
        case ParamType::rate:
            return units::parse_rate(text).bits_per_second;
        case ParamType::bytes:
            return units::parse_bytes(text);
        case ParamType::fraction:
            return units::parse_fraction(text);
        case ParamType::rate_or_fraction:
            units::parse_rate_or_fraction(text);
            return std::string(text);
        case ParamType::text:
            return std::string(text);
        case ParamType::list:
            break;
    }
    throw BadValue("expected a list");
}

// Whether a JSON value is one of this type, as a check receives it.
inline bool fits(ParamType type, const json& value) {
    const auto number = [&](double least, double most) {
        return value.is_number() && value.get<double>() >= least && value.get<double>() <= most;
    };
    constexpr double none = std::numeric_limits<double>::max();
    switch (type) {
        case ParamType::text:
            return value.is_string();
        case ParamType::integer:
            return value.is_number_integer();
        case ParamType::rate:
        case ParamType::bytes:
            return value.is_number_integer() && number(0, none);
        case ParamType::number:
            return number(-none, none);
        case ParamType::duration:
            return number(0, none);
        case ParamType::fraction:
            return number(0, 1);
        case ParamType::boolean:
            return value.is_boolean();
        case ParamType::rate_or_fraction:
            try {
                return value.is_string() && units::parse_rate_or_fraction(value.get<std::string>()).fraction >= 0;
            } catch (const BadValue&) {
                return false;
            }
        case ParamType::list:
            return value.is_array() && std::all_of(value.begin(), value.end(), [](const json& item) { return item.is_string(); });
    }
    return false;
}

enum class Mover { owner, configuration, software, hardware };

namespace mover {
inline constexpr auto owner = Mover::owner;
inline constexpr auto configuration = Mover::configuration;
inline constexpr auto software = Mover::software;
inline constexpr auto hardware = Mover::hardware;
}  // namespace mover

inline constexpr std::array<std::string_view, 4> mover_names = {"owner", "configuration", "software", "hardware"};
inline std::string_view to_text(Mover mover) { return mover_names.at(static_cast<std::size_t>(mover)); }

namespace unit {
inline constexpr std::string_view bytes = "bytes", seconds = "s", milliseconds = "ms", bit_per_s = "bit/s", percent = "%", count = "count",
                                  fraction = "fraction", celsius = "C", none;
}  // namespace unit

// What a measurement must keep to; the host judges it again.
struct Limit {
    std::optional<double> min, max;
    bool holds(double value) const { return (!min || value >= *min) && (!max || value <= *max); }
};

inline Limit at_least(double value) { return {value, std::nullopt}; }
inline Limit at_most(double value) { return {std::nullopt, value}; }
inline Limit between(double low, double high) { return {low, high}; }
inline Limit exactly(double value) { return {value, value}; }
inline constexpr Limit no_limit{};

}  // namespace diag
