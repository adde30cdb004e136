// What the tests on real packets ask, and how they read the answer.
#pragma once

#include <diag/abi.h>
#include <diag/testing.hpp>

#include <string>

extern "C" const diag_abi* diag_plugin_v1();

namespace mtu {

using diag::json;
using diag::testing::Answer;

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
