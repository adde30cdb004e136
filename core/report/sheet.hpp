// The sheet of a run: one row for each directed link that the run asked anything of, as its record tells it.
// Which columns stand behind the link's ends is what the checks declared (RunView::columns): this code knows none of them.
// Not for verdicts and remedies: text.hpp has those.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/view.hpp"

namespace diag::report {

// A link of the site file, as far as a sheet needs it.
struct SheetEnd {
    std::string machine, interface, name, address;  // "" where the site file gives none
};
struct SheetLink {
    std::string id;
    bool management = false;
    std::vector<SheetEnd> ends = {};
};

// What stands in a cell.  `absent`: nothing measured it, or it was not reached; the other three: the check that should have
// measured it did not get that far.  Zero is a value.
enum class CellState { absent, value, skipped, failed, not_run };

struct Cell {
    CellState state = CellState::absent;
    std::string text = {};  // for people, with its unit; still to be made safe for the form it is written in
    json plain = {};        // for programs: a number without its unit, or a text
    std::string unit = {};  // of `plain`
    bool broken = false;    // outside the limit that it had to keep to
};

struct SheetRow {
    const SheetLink* link = nullptr;
    const SheetEnd *here = nullptr, *there = nullptr;
    std::vector<Cell> cells = {};  // one for each title of the sheet
    std::string outcome = {};      // of the whole row; "" where it was cut off
    std::string cause = {};        // of the check that decided
    std::string time = {};         // UTC, when the newest of it was measured; "" where nothing was
};

struct Sheet {
    std::vector<std::string> titles;  // each once, in the order in which the run's checks come
    std::vector<SheetRow> rows;       // in the order of the site file
    std::vector<std::string> reused;  // "link.bulk, direct: node-a -> node-b, measured 2026-11-30T06:15:00Z"
    std::vector<std::string> others;  // rows that fill columns and are about no link
    std::vector<std::string> unasked_examples;
    std::size_t unasked = 0;  // directed links of the site file that this run asked nothing of
};

// `links` must outlive the sheet.  A view without columns gives rows without cells.
Sheet make_sheet(const RunView& view, const std::vector<SheetLink>& links);

// Markdown: management and data networks in tables of their own.
std::string sheet_markdown(const RunView& view, const Sheet& sheet);
// The same rows as CSV (RFC 4180), with a column `network`.
std::string sheet_csv(const RunView& view, const Sheet& sheet);

}  // namespace diag::report
