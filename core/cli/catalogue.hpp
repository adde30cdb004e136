// How a check declares itself, for diag plugins and diag explain.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "host/catalogue.hpp"

namespace diag::cli {

// "default 1500", "required": what counts where the parameter is not given.
std::string default_text(const host::Param& param);

nlohmann::json check_document(const host::CheckInfo& check);

}  // namespace diag::cli
