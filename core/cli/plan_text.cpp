#include "cli/plan_text.hpp"

#include <iostream>

#include <fmt/format.h>

#include <diag/units.hpp>

#include "base/utf8.hpp"

namespace diag::cli {
namespace {

using base::printable;
using json = nlohmann::json;

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

json document(const runbook::Plan& plan, const host::Catalogue& catalogue) {
    json doc = {{"runbook", plan.name}, {"title", plan.title}, {"machine", plan.machine}, {"checkpoints", json::array()}};
    for (const auto& checkpoint : plan.checkpoints) {
        json rows = json::array();
        for (const auto& row : checkpoint.rows) {
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
            rows.push_back({{"row", row.label}, {"checks", checks}});
        }
        doc["checkpoints"].push_back({{"id", checkpoint.id},
                                      {"title", checkpoint.title},
                                      {"owner", checkpoint.owner},
                                      {"reboot", checkpoint.reboot},
                                      {"rows", rows}});
    }
    return doc;
}

void print_checkpoint(const runbook::PlannedCheckpoint& checkpoint, const std::string& here) {
    std::cout << printable(checkpoint.id) << (checkpoint.title.empty() ? "" : ": " + printable(checkpoint.title)) << "\n";
    for (const auto& step : checkpoint.owner) std::cout << "   owner: " << printable(step) << "\n";
    if (checkpoint.reboot) std::cout << "   owner: reboot\n";
    if (checkpoint.rows.empty()) std::cout << "   no rows\n";
    for (const auto& row : checkpoint.rows) {
        if (!row.label.empty()) std::cout << "   " << printable(row.label) << "\n";
        for (const auto& check : row.checks) {
            const std::string where = check.machine == here ? "" : " (on " + printable(check.machine) + ")";
            const std::string how = check.skip.empty() ? params_text(check.params) : " skipped: " + printable(check.skip);
            std::cout << "      " << check.check << where << how << "\n";
        }
    }
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
        print_checkpoint(checkpoint, plan.machine);
        for (const auto& row : checkpoint.rows)
            for (const auto& check : row.checks) ++checks, seconds += seconds_of(check, catalogue);
    }
    std::cout << fmt::format("\n{} checks, at most about {} by their own account\n", checks, units::show_duration(seconds));
}

}  // namespace diag::cli
