// Which plugin files lie in some folders, and which of them this user may trust.  Loads none.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace diag::worker {

using json = nlohmann::json;

// The folders that are searched unless others are named: this installation's, /etc/diag/plugins, and those of DIAG_PLUGINS.
std::vector<std::string> default_plugin_dirs();

// {"event":"found","plugins":[{"file","sha256"}],"refused":[{"file","code","reason"}]}, in the order of the
// folders, then of the names.  A folder that is not there is no error; one that cannot be read is refused.
json find_plugins(const std::vector<std::string>& folders);

}  // namespace diag::worker
