// For tests only: the plugin's checks asked in a PathLab, from host a.
#pragma once

#include <string>

#include <diag/abi.h>
#include <diag/testing.hpp>

#include "catch.hpp"
#include "path_lab.hpp"

extern "C" const diag_abi* diag_plugin_v1();

namespace mtu {

using diag::json;
using diag::testing::Answer;

inline bool lab_missing() {
    const auto why = diag::probe::testing::NetLab::missing(true);
    if (why) WARN("skipped: " << *why);
    return why.has_value();
}

inline Answer ask_path(const std::string& name, json more = json::object()) {
    json params = {{"name", name}, {"interface", "wire"}, {"mtu", 9000}};
    params.update(more);
    return diag::testing::ask(*diag_plugin_v1(), "path", params);
}

inline Answer ask_interface(const std::string& name, int mtu) {
    return diag::testing::ask(*diag_plugin_v1(), "interface", {{"interface", name}, {"mtu", mtu}});
}

inline std::string text_of(const Answer& answer, const std::string& event) {
    std::string text;
    for (const auto& e : answer.events)
        if (e["event"] == event) text += e["text"].get<std::string>() + "\n";
    return text;
}

}  // namespace mtu
