// Lines for a lab notebook: what was measured, dated and attributed, one JSON object a verdict (--labbook).
// Which checks become lines, and under which keys, is a table (share/diag/labbook.yaml), not this code's knowledge.
#pragma once

#include <string>
#include <vector>

#include "report/view.hpp"

namespace diag::report {

// `table`: check -> {key: "param.X" | "measured.X" | other text as it is | a map of such}.  Verdicts that were reused or
// skipped are no new lines.
std::vector<json> labbook_lines(const RunView& view, const json& table);

// One line as Python's json.dumps writes it, so that the course's `grep '"record": "link"'` finds it: a space behind each colon and
// comma, other than ASCII escaped.
std::string labbook_text(const json& line);

}  // namespace diag::report
