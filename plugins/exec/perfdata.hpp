// What a program that follows the rules for Nagios plugins writes: text, and behind a '|' its performance data,
// 'label'=value[UOM];warn;crit;min;max.  Source: the Monitoring Plugins Development Guidelines.
// Strict where a number is judged, and loud about what it cannot read: nothing is guessed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <diag/types.hpp>

namespace diag::exec {

struct Output {
    std::string text;       // the first line, without what follows a '|'
    std::string long_text;  // the lines below
    std::string perfdata;   // of the first line and of the end
};

Output split_output(std::string_view written);

// An alert is raised outside of low to high (both allowed), or, with '@', inside.
struct Range {
    std::optional<double> low, high;
    bool inside = false;
    std::string written;

    bool alerts(double value) const;
    // As a limit of a measurement; nothing for '@', which no minimum and maximum can say.
    std::optional<Limit> limit() const;
};

// "10" is 0 to 10, "10:" from 10, "~:10" up to 10, "@10:20" not from 10 to 20.  Nothing where it is malformed.
std::optional<Range> parse_range(std::string_view written);

struct Value {
    std::string label;
    double value = 0;
    std::string unit;  // bytes and count for B and c, else as it was written, so that ranges keep their numbers
    std::optional<Range> warning, critical;
};

struct Perfdata {
    std::vector<Value> values;
    std::vector<std::string> problems;  // what could not be read, a sentence each
};

Perfdata parse_perfdata(std::string_view written);

}  // namespace diag::exec
