// What a machine, or a captured tree of one, says of itself: host name, distribution, kernel, architecture.
#pragma once

#include <filesystem>

#include "report/look_text.hpp"

namespace diag::cli {

// `root`: "" is this machine.  What a captured tree does not hold is "".
report::MachineName machine_name(const std::filesystem::path& root);

}  // namespace diag::cli
