// A text parameter that may be missing; an empty one is a mistake of whoever wrote it, and no name or address.
#pragma once

#include <optional>
#include <string>

#include <diag/plugin.hpp>

namespace diag::names {

// Throws diag::BadValue where it is there and empty.
inline std::optional<std::string> given(const Context& c, const std::string& parameter) {
    if (!c.given(parameter)) return std::nullopt;
    std::string text = c.text(parameter);
    if (text.empty()) throw BadValue("parameter '" + parameter + "' is empty");
    return text;
}

}  // namespace diag::names
