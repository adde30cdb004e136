// What the tests of this folder share: the message of an error, and a small catalogue.
#pragma once

#include <string>

#include "host/catalogue.hpp"
#include "runbook/finding.hpp"

namespace diag::runbook::testing {

// The error that `call` must throw, as its lines; "no error" where it throws none.
template <class Call>
std::string error_of(Call call) {
    try {
        call();
    } catch (const RunbookError& e) {
        return e.what();
    }
    return "no error";
}

// Plugin `net` with checks `reach` (a parameter of every kind of absence) and `types` (one of every type).
inline host::Catalogue catalogue() {
    using host::Param;
    using host::WhenMissing;
    host::CheckInfo reach;
    reach.plugin = "net";
    reach.name = "reach";
    reach.params = {Param{"to", type::text, "whom to ask", WhenMissing::required, nullptr},
                    Param{"name", type::text, "host name to resolve", WhenMissing::skip, nullptr},
                    Param{"mtu", type::bytes, "MTU in bytes", WhenMissing::fallback, 1500},
                    Param{"expect", type::rate, "what it delivers", WhenMissing::optional, nullptr}};
    reach.params[2].bounds = between(68, 1e12);
    host::CheckInfo types;
    types.plugin = "net";
    types.name = "types";
    for (const auto name : type::names)
        types.params.push_back({"a-" + std::string(name), *param_type(name), "h", WhenMissing::optional, nullptr});
    host::CheckInfo plain;
    plain.plugin = "net";
    plain.name = "plain";
    host::PluginInfo net;
    net.name = "net";
    net.checks = {reach, types, plain};
    host::Catalogue catalogue;
    catalogue.plugins = {net};
    return catalogue;
}

}  // namespace diag::runbook::testing
