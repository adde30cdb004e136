// The run for a person at a terminal, piece by piece, so that it can be printed while it happens.
// A healthy run fits on one screen; a failure shows its cause first.  Text from others is made printable here.
#pragma once

#include <string>

#include "report/view.hpp"

namespace diag::report {

struct TextStyle {
    bool color = false, utf8 = true, verbose = false;
    std::size_t width = 80;  // columns
};

std::string header(const RunView& view, const TextStyle& style);
// One finished checkpoint: its line, then its warnings and skips.
std::string checkpoint_text(const CheckpointView& checkpoint, const TextStyle& style);
// What stopped the run and who has to move, what was not reached, and how it ended.
std::string ending(const RunView& view, const TextStyle& style);
// The explanation of one verdict: reason, where it ran if not on `machine`, asked, measured, cause, who, next, evidence.
std::string explanation(const CheckView& check, const std::string& machine, const TextStyle& style);
// The whole run at once.
std::string whole(const RunView& view, const TextStyle& style);

// A value in its unit: "1500 bytes", "9.4 Gbit/s".
std::string value_text(double value, const std::string& unit);

// "1500 bytes", "9.4 Gbit/s", "0.11 ms", with the limit it broke, if any.
std::string measurement_text(const json& measurement);

}  // namespace diag::report
