#include "report/sheet.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "report/recorded.hpp"
#include "report/text.hpp"

namespace diag::report {
namespace {

using host::Outcome;

// Everything that the run asked in rows of one label, whatever the checkpoint.
using AskedOf = std::map<std::string, std::vector<const CheckView*>>;

AskedOf by_label(const RunView& view) {
    AskedOf asked;
    for (const auto& checkpoint : view.checkpoints)
        for (const auto& row : checkpoint.rows)
            for (const auto& check : row.checks) asked[row.row].push_back(&check);
    return asked;
}

Cell value_cell(json plain, std::string text) { return {.state = CellState::value, .text = std::move(text), .plain = std::move(plain)}; }

Cell measured_cell(const json& m) {
    const double value = m["value"].get<double>();
    const std::string unit = m.value("unit", "");
    Cell cell = value_cell(plain_number(m), value_text(value, unit));
    cell.unit = unit;
    cell.broken = m.contains("within") && m["within"] == false;
    return cell;
}

// Why a check that ended says nothing here.
CellState silence(const CheckView& check) {
    if (check.outcome == Outcome::skip) return CellState::skipped;
    if (check.outcome == Outcome::fail) return CellState::failed;
    if (check.outcome == Outcome::not_run) return CellState::not_run;
    return CellState::absent;
}

// A text that stands for itself says how something was measured: it stands where something was.
bool says_nothing(const json& verdict, const std::string& from) {
    const bool literal = recorded(verdict, from) == from;
    return literal && verdict.value("measurements", json::array()).empty();
}

std::vector<Cell> cells_of(const CheckView& check, const std::string& from) {
    std::vector<Cell> cells;
    if (from.rfind("measured.", 0) == 0) {
        for (const auto& m : measurements_named(check.verdict, from.substr(9))) cells.push_back(measured_cell(m));
    } else if (const json said = recorded(check.verdict, from); !said.is_null() && !says_nothing(check.verdict, from)) {
        cells.push_back(value_cell(said, said.is_string() ? said.get<std::string>() : said.dump()));
    }
    if (cells.empty()) cells.push_back({.state = silence(check)});
    return cells;
}

// Several answers to one column: what was measured comes before why another was not; different values stand side by side.
Cell joined(const std::vector<Cell>& cells) {
    Cell whole;
    for (const Cell& cell : cells) {
        if (cell.state == CellState::absent) continue;
        if (whole.state == CellState::absent || (whole.state != CellState::value && cell.state == CellState::value)) {
            whole = cell;
        } else if (cell.state == CellState::value && cell.text != whole.text) {
            whole.text += ", " + cell.text;
            whole.plain = whole.text;
            whole.unit.clear();
            whole.broken = whole.broken || cell.broken;
        } else if (whole.state == CellState::skipped) {  // a failure says more than a skip
            whole.state = cell.state;
        }
    }
    return whole;
}

Cell cell_for(const std::string& title, const std::vector<SheetColumn>& columns, const std::vector<const CheckView*>& asked) {
    std::vector<Cell> cells;
    for (const auto& column : columns) {
        if (column.title != title) continue;
        for (const auto* check : asked)
            if (check->check == column.check)
                for (auto& cell : cells_of(*check, column.from)) cells.push_back(std::move(cell));
    }
    return joined(cells);
}

// Of a pass that was reused, when it was measured.
std::string time_of(const CheckView& check) {
    const std::string time = check.reused() ? check.verdict["reused"].value("time", "") : check.text("time");
    return time.size() < 19 ? time : time.substr(0, 19) + "Z";  // "2026-11-30T06:15:00.123Z"
}

void fill(SheetRow& row, const Sheet& sheet, const std::vector<SheetColumn>& columns, const std::vector<const CheckView*>& asked) {
    for (const auto& title : sheet.titles) row.cells.push_back(cell_for(title, columns, asked));
    RowView all;
    for (const auto* check : asked) {
        all.checks.push_back(*check);
        if (check->outcome && check->outcome != Outcome::skip) row.time = std::max(row.time, time_of(*check));
    }
    const bool cut_off = std::any_of(asked.begin(), asked.end(), [](const auto* check) { return !check->outcome; });
    if (const auto* decisive = all.decisive(); decisive != nullptr && !cut_off) {
        row.outcome = to_text(*decisive->outcome);
        row.cause = decisive->text("cause");
    }
}

void note_reused(Sheet& sheet, const std::string& label, const std::vector<const CheckView*>& asked) {
    for (const auto* check : asked)
        if (check->reused()) sheet.reused.push_back(fmt::format("{}, {}, measured {}", check->check, label, time_of(*check)));
}

void add_link(Sheet& sheet, const SheetLink& link, const std::vector<SheetColumn>& columns, AskedOf& asked) {
    constexpr std::size_t most_examples = 4;
    for (const auto& here : link.ends)
        for (const auto& there : link.ends) {
            if (&here == &there) continue;
            const std::string label = link.id + ": " + here.machine + " -> " + there.machine;  // as the runbook's rows are called
            const auto found = asked.find(label);
            if (found == asked.end()) {
                if (++sheet.unasked <= most_examples) sheet.unasked_examples.push_back(label);
                continue;
            }
            SheetRow row{.link = &link, .here = &here, .there = &there};
            fill(row, sheet, columns, found->second);
            note_reused(sheet, label, found->second);
            sheet.rows.push_back(std::move(row));
            asked.erase(found);
        }
}

}  // namespace

Sheet make_sheet(const RunView& view, const std::vector<SheetLink>& links) {
    const std::vector<SheetColumn> columns = view.columns.value_or(std::vector<SheetColumn>{});
    Sheet sheet;
    std::set<std::string> fillers;
    for (const auto& column : columns) {
        fillers.insert(column.check);
        if (std::find(sheet.titles.begin(), sheet.titles.end(), column.title) == sheet.titles.end()) sheet.titles.push_back(column.title);
    }
    AskedOf asked = by_label(view);
    for (const auto& link : links) add_link(sheet, link, columns, asked);
    for (const auto& [label, checks] : asked)
        for (const auto* check : checks)
            if (fillers.contains(check->check)) sheet.others.push_back(label.empty() ? check->check : check->check + ", " + label);
    return sheet;
}

}  // namespace diag::report
