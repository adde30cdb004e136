#include "record/earlier.hpp"

#include <fmt/format.h>

namespace diag::record {
namespace {

std::string text(const json& line, const char* key) {
    const auto at = line.find(key);
    return at != line.end() && at->is_string() ? at->get<std::string>() : "";
}

bool bad(const std::string& outcome) { return outcome == "fail" || outcome == "not_run"; }

std::string shown(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace

Earlier::Earlier(const std::vector<json>& lines) {
    for (const auto& line : lines) take(line);
}

void Earlier::take(const json& line) {
    const std::string event = text(line, "event");
    const Key key{text(line, "checkpoint"), text(line, "row"), text(line, "id")};
    if (event == "check") machines_[key] = text(line, "machine");
    if (event == "checkpoint-end") {
        auto& rows = unsettled_[text(line, "checkpoint")];
        failed_.erase(text(line, "checkpoint"));
        if (bad(text(line, "outcome"))) failed_[text(line, "checkpoint")] = rows;
        rows.clear();
    }
    if (event != "verdict") return;
    const std::string outcome = text(line, "outcome");
    if (bad(outcome)) unsettled_[text(line, "checkpoint")].insert(text(line, "row"));
    if (outcome == "pass")
        passes_[key] = {line, machines_[key]};
    else
        passes_.erase(key);
}

std::map<std::string, std::set<std::string>> Earlier::failed() const {
    auto all = failed_;
    for (const auto& [checkpoint, rows] : unsettled_)
        if (!rows.empty()) all[checkpoint].insert(rows.begin(), rows.end());
    return all;
}

std::optional<Earlier::Pass> Earlier::pass(const std::string& checkpoint, const std::string& row, const std::string& id) const {
    const auto found = passes_.find({checkpoint, row, id});
    if (found == passes_.end() || failed_.contains(checkpoint)) return std::nullopt;
    return found->second;
}

std::vector<std::string> differences(const json& before, const json& now) {
    std::vector<std::string> all;
    for (const auto& [name, value] : before.items()) {
        if (!now.contains(name))
            all.push_back(fmt::format("{} was {}, is not told", name, shown(value)));
        else if (now[name] != value)
            all.push_back(fmt::format("{} was {}, is {}", name, shown(value), shown(now[name])));
    }
    for (const auto& [name, value] : now.items())
        if (!before.contains(name)) all.push_back(fmt::format("{} was not told, is {}", name, shown(value)));
    return all;
}

}  // namespace diag::record
