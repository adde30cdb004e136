// For tests of the reports: a run as its journal tells it.
#pragma once

#include <string>
#include <vector>

#include "report/view.hpp"

namespace diag::report {

inline json verdict(const std::string& row, const std::string& outcome, const json& more = json::object()) {
    json event = {
        {"event", "verdict"},           {"checkpoint", "frames"}, {"attempt", 1},         {"row", row},       {"check", "site.probe"},
        {"id", "site.probe"},           {"outcome", outcome},     {"reason", "it is so"}, {"cause", nullptr}, {"evidence", json::array()},
        {"measurements", json::array()}};
    event.update(more);
    return event;
}

// A run of two checkpoints that stopped in the first.
inline RunView run(const std::vector<json>& verdicts, const std::string& outcome, const std::string& state) {
    RunView view;
    apply(view, {{"event", "run"},
                 {"runbook", {{"name", "bringup"}, {"text", "runbook: bringup"}}},
                 {"machine", "node-a"},
                 {"checkpoints", json::array({{{"id", "frames"}, {"title", "Frames"}}, {{"id", "later"}, {"title", "Later"}}})}});
    apply(view, {{"event", "checkpoint"}, {"checkpoint", "frames"}, {"attempt", 1}, {"boottime", 10.0}});
    for (const auto& v : verdicts) apply(view, v);
    apply(view, {{"event", "checkpoint-end"}, {"checkpoint", "frames"}, {"attempt", 1}, {"outcome", outcome}, {"boottime", 11.5}});
    apply(view, {{"event", "run-end"}, {"state", state}});
    return view;
}

inline const json broken = {
    {"cause", "site.small"},
    {"meaning", "Smaller than planned."},
    {"mover", "configuration"},
    {"reason", "a frame does not arrive"},
    {"asked", "9000 bytes"},
    {"next", "raise the port"},
    {"evidence", json::array({{{"name", "probes"}, {"path", "evidence/frames/1/probes.txt"}}})},
    {"measurements",
     json::array({{{"name", "size"}, {"value", 1500}, {"unit", "bytes"}, {"min", 9000}, {"max", nullptr}, {"within", false}}})}};

}  // namespace diag::report
