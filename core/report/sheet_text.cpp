// sheet_markdown() and sheet_csv().
#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "report/safe_text.hpp"
#include "report/sheet.hpp"

namespace diag::report {
namespace {

using Line = std::vector<std::string>;

std::string_view word(CellState state) {
    switch (state) {
        case CellState::skipped:
            return "skipped";
        case CellState::failed:
            return "failed";
        case CellState::not_run:
            return "not run";
        case CellState::absent:
        case CellState::value:
            break;
    }
    return "-";
}

std::string markdown_or_dash(const std::string& text) { return text.empty() ? "-" : markdown_text(text); }

// The address that the site file gives, else the name by which the far end is asked.
const std::string& asked_at(const SheetEnd& end) { return end.address.empty() ? end.name : end.address; }

std::string markdown_cell(const Cell& cell) {
    if (cell.state != CellState::value) return std::string(word(cell.state));
    return markdown_or_dash(cell.text) + (cell.broken ? " !" : "");
}

std::string markdown_line(const Line& cells) { return fmt::format("| {} |\n", fmt::join(cells, " | ")); }

std::string markdown_table(const std::string& title, const Sheet& sheet, bool management) {
    Line head = {"Link", "From", "Interface", "To", "Its interface", "Address"};
    for (const auto& column : sheet.titles) head.push_back(markdown_text(column));
    head.insert(head.end(), {"Outcome", "Cause", "Measured"});
    std::string lines;
    for (const auto& row : sheet.rows) {
        if (row.link->management != management) continue;
        Line line = {markdown_text(row.link->id),       markdown_text(row.here->machine),       markdown_or_dash(row.here->interface),
                     markdown_text(row.there->machine), markdown_or_dash(row.there->interface), markdown_or_dash(asked_at(*row.there))};
        for (const auto& cell : row.cells) line.push_back(markdown_cell(cell));
        line.insert(line.end(), {row.outcome.empty() ? "cut off" : row.outcome, markdown_or_dash(row.cause), markdown_or_dash(row.time)});
        lines += markdown_line(line);
    }
    if (lines.empty()) return "";
    return "\n## " + title + "\n\n" + markdown_line(head) + markdown_line(Line(head.size(), "---")) + lines;
}

std::string listed_note(std::string_view what, const std::vector<std::string>& items) {
    std::string text;
    for (const auto& item : items) text += fmt::format("\n- {}: {}", what, markdown_text(item));
    return text;
}

std::string notes(const RunView& view, const Sheet& sheet) {
    std::string text =
        "\n- `-` was not measured; `skipped`, `failed` and `not run` say why a check measured nothing; `!` is outside its limit";
    std::vector<std::string> missing;
    for (const auto& checkpoint : view.checkpoints)
        if (!checkpoint.reached()) missing.push_back(checkpoint.id);
    text += listed_note("not reached", missing);
    text += listed_note("reused", sheet.reused);
    if (sheet.unasked != 0)
        text += fmt::format("\n- not asked in this run: {} directed link{} of the site file ({}{})", sheet.unasked,
                            sheet.unasked == 1 ? "" : "s", markdown_text(fmt::format("{}", fmt::join(sheet.unasked_examples, "; "))),
                            sheet.unasked > sheet.unasked_examples.size() ? "; ..." : "");
    text += listed_note("about no link", sheet.others);
    if (!view.columns) text += "\n- this record does not say what its checks measure for a sheet";
    return text + "\n";
}

std::string markdown_head(const RunView& view) {
    std::string text = fmt::format("# {} on {}\n\n", markdown_or_dash(view.runbook), markdown_or_dash(view.machine));
    if (view.lab) text += "**LAB: not a real network.** ";
    if (!view.root.empty()) text += "**CAPTURED TREE: not this machine.** ";
    return text + fmt::format("Record {}, {}.\n", markdown_or_dash(view.record), view.state);
}

// The unit of a column, where all its values have the same.
std::string unit_of(const Sheet& sheet, std::size_t column) {
    std::string unit;
    for (const auto& row : sheet.rows) {
        const Cell& cell = row.cells[column];
        if (cell.state != CellState::value || cell.unit.empty()) continue;
        if (!unit.empty() && unit != cell.unit) return "";
        unit = cell.unit;
    }
    return unit;
}

// Numbers stand without their unit where the head of their column says it.
std::string csv_cell(const Cell& cell, const std::string& unit) {
    if (cell.state == CellState::absent) return "";
    if (cell.state != CellState::value) return csv_text(word(cell.state));
    if (cell.plain.is_number() && cell.unit == unit) return cell.plain.dump();
    return csv_text(cell.text);
}

std::string csv_line(const Line& fields) { return fmt::format("{}\r\n", fmt::join(fields, ",")); }

}  // namespace

std::string sheet_markdown(const RunView& view, const Sheet& sheet) {
    std::string tables = markdown_table("Data networks", sheet, false) + markdown_table("Management networks", sheet, true);
    if (tables.empty()) tables = "\nNothing in this run is about a link of a site file.\n";
    return markdown_head(view) + tables + notes(view, sheet);
}

std::string sheet_csv(const RunView& view, const Sheet& sheet) {
    Line head = {"network", "link", "from", "interface", "to", "interface_there", "address"}, units;
    for (std::size_t i = 0; i < sheet.titles.size(); ++i) {
        units.push_back(unit_of(sheet, i));
        head.push_back(csv_text(sheet.titles[i] + (units[i].empty() ? "" : " (" + units[i] + ")")));
    }
    head.insert(head.end(), {"outcome", "cause", "measured", "record", "real"});
    std::string text = csv_line(head);
    for (const auto& row : sheet.rows) {
        Line line = {row.link->management ? "management" : "data",
                     csv_text(row.link->id),
                     csv_text(row.here->machine),
                     csv_text(row.here->interface),
                     csv_text(row.there->machine),
                     csv_text(row.there->interface),
                     csv_text(asked_at(*row.there))};
        for (std::size_t i = 0; i < row.cells.size(); ++i) line.push_back(csv_cell(row.cells[i], units[i]));
        line.insert(line.end(), {row.outcome, csv_text(row.cause), csv_text(row.time), csv_text(view.record),
                                 view.lab || !view.root.empty() ? "no" : "yes"});
        text += csv_line(line);
    }
    return text;
}

}  // namespace diag::report
