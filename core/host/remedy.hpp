// The next step for the person who reads a verdict: a cause's remedy with its placeholders filled in.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace diag::host {

using json = nlohmann::json;

// Replaces {name} by `values`, else by `params`; a placeholder without a value stays visible as <name>.
// The result may be pasted into a shell: a value that is not plain is quoted.
std::string fill_remedy(std::string_view remedy, const json& params, const json& values);

// A value as one word of a shell command.
std::string shell_word(std::string_view text);

}  // namespace diag::host
