#include "cli/plan_text.hpp"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include <diag/units.hpp>

#include "base/utf8.hpp"

namespace diag::cli {
namespace {

using base::printable;
using json = nlohmann::json;
using runbook::PlannedRow;

// What fits on a screen or two; more is folded, unless --verbose asks for all of it.
constexpr std::size_t most_rows = 32, first_rows = 3, most_rounds = 16, first_of_round = 3;

std::string params_text(const json& params) {
    std::string text;
    for (const auto& [name, value] : params.items())
        text += fmt::format(" {}={}", printable(name), printable(value.is_string() ? value.get<std::string>() : value.dump()));
    return text;
}

double seconds_of(const runbook::PlannedCheck& check, const host::Catalogue& catalogue) {
    const auto* info = catalogue.check(check.check);
    return info != nullptr && check.skip.empty() ? info->takes(check.params) : 0;
}

json document(const PlannedRow& row, const host::Catalogue& catalogue) {
    json checks = json::array();
    for (const auto& c : row.checks)
        checks.push_back({{"check", c.check},
                          {"id", c.id},
                          {"machine", c.machine},
                          {"there", c.there.empty() ? json(nullptr) : json(c.there)},
                          {"params", c.params},
                          {"timeout", c.timeout},
                          {"skip", c.skip.empty() ? json(nullptr) : json(c.skip)},
                          {"takes", seconds_of(c, catalogue)}});
    return {{"row", row.label}, {"round", row.round == 0 ? json(nullptr) : json(row.round)}, {"checks", checks}};
}

json document(const runbook::Plan& plan, const host::Catalogue& catalogue) {
    json doc = {{"runbook", plan.name}, {"title", plan.title}, {"machine", plan.machine}, {"checkpoints", json::array()}};
    for (const auto& checkpoint : plan.checkpoints) {
        json rows = json::array();
        for (const auto& row : checkpoint.rows) rows.push_back(document(row, catalogue));
        doc["checkpoints"].push_back({{"id", checkpoint.id},
                                      {"title", checkpoint.title},
                                      {"owner", checkpoint.owner},
                                      {"reboot", checkpoint.reboot},
                                      {"rows", rows},
                                      {"no_rows", checkpoint.no_rows.empty() ? json(nullptr) : json(checkpoint.no_rows)}});
    }
    return doc;
}

void print_row(const PlannedRow& row, const std::string& here) {
    if (!row.label.empty()) std::cout << "   " << printable(row.label) << "\n";
    for (const auto& check : row.checks) {
        const std::string where = check.machine == here ? "" : " (on " + printable(check.machine) + ")";
        const std::string how = check.skip.empty() ? params_text(check.params) : " skipped: " + printable(check.skip);
        std::cout << "      " << check.check << where << how << "\n";
    }
}

std::string rows_text(std::size_t rows) { return fmt::format("{} row{}", rows, rows == 1 ? "" : "s"); }

// Rows of one round stand together: where the next one starts.
using Rows = std::vector<PlannedRow>;
Rows::const_iterator end_of_round(Rows::const_iterator first, const Rows& rows) {
    return std::find_if(first, rows.end(), [&](const PlannedRow& row) { return row.round != first->round; });
}

// One line for a round: how many rows, and the first of them.
void print_round(Rows::const_iterator first, Rows::const_iterator end) {
    const auto count = static_cast<std::size_t>(end - first);
    std::cout << fmt::format("   round {}, {}: ", first->round, rows_text(count));
    for (auto row = first; row != end && row < first + first_of_round; ++row)
        std::cout << (row == first ? "" : ", ") << printable(row->label);
    std::cout << (count > first_of_round ? ", ...\n" : "\n");
}

void print_rounds(const Rows& rows) {
    const int last = rows.back().round;
    for (auto row = rows.begin(); row != rows.end();) {
        const auto end = end_of_round(row, rows);
        if (row->round > static_cast<int>(most_rounds)) {
            std::cout << fmt::format("   rounds {} to {}: {} rows more\n", row->round, last, rows.end() - row);
            return;
        }
        print_round(row, end);
        row = end;
    }
}

void print_all(const Rows& rows, const std::string& here) {
    int round = 0;
    for (const auto& row : rows) {
        if (row.round != round) std::cout << "   round " << (round = row.round) << "\n";
        print_row(row, here);
    }
}

void print_folded(const Rows& rows, const std::string& here) {
    for (std::size_t i = 0; i < first_rows; ++i) print_row(rows[i], here);
    std::cout << fmt::format("   and {} more rows (--verbose prints them, --format json has them)\n", rows.size() - first_rows);
    if (rows.front().round != 0) print_rounds(rows);
}

void print_checkpoint(const runbook::PlannedCheckpoint& checkpoint, const std::string& here, bool verbose) {
    std::cout << printable(checkpoint.id) << (checkpoint.title.empty() ? "" : ": " + printable(checkpoint.title)) << "\n";
    for (const auto& step : checkpoint.owner) std::cout << "   owner: " << printable(step) << "\n";
    if (checkpoint.reboot) std::cout << "   owner: reboot\n";
    const auto& rows = checkpoint.rows;
    if (rows.empty()) {
        std::cout << "   no rows" << (checkpoint.no_rows.empty() ? "" : ": " + printable(checkpoint.no_rows)) << "\n";
        return;
    }
    if (rows.back().round != 0)
        std::cout << fmt::format("   {} in {} rounds: no machine takes part twice in one\n", rows_text(rows.size()), rows.back().round);
    if (verbose || rows.size() <= most_rows)
        print_all(rows, here);
    else
        print_folded(rows, here);
}

}  // namespace

void print_plan(const runbook::Plan& plan, const host::Catalogue& catalogue, const Common& common) {
    if (common.format == "json") {
        std::cout << document(plan, catalogue).dump(2) << "\n";
        return;
    }
    std::cout << "plan of " << printable(plan.name) << (plan.machine.empty() ? "" : " on " + printable(plan.machine))
              << "; nothing was run\n\n";
    double seconds = 0;
    std::size_t checks = 0;
    for (const auto& checkpoint : plan.checkpoints) {
        print_checkpoint(checkpoint, plan.machine, common.verbose);
        for (const auto& row : checkpoint.rows)
            for (const auto& check : row.checks) ++checks, seconds += seconds_of(check, catalogue);
    }
    std::cout << fmt::format("\n{} checks, at most about {} by their own account\n", checks, units::show_duration(seconds));
}

}  // namespace diag::cli
