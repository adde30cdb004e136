// What a user's own ssh configuration would do to a launcher (mpirun, ansible, a script) that calls plain `ssh HOST COMMAND`.
// Read with `ssh -G`.  This product's own logins override most of it, so that only asking tells.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <diag/plugin.hpp>

namespace diag::ssh {

// Keywords in lower case and their values, in ssh's order; a keyword may stand several times (identityfile).
using Config = std::vector<std::pair<std::string, std::string>>;

Config read_config(std::string_view dump);

// The first value, or "".
std::string value_of(const Config& config, std::string_view keyword);
std::vector<std::string> values_of(const Config& config, std::string_view keyword);

struct Break {
    Outcome outcome = Outcome::warn;
    std::string setting;  // "RemoteCommand tmux"
    std::string effect;
};

// Everything in it that breaks or weakens unattended logins; empty where nothing does.
std::vector<Break> breaks_of(const Config& config);

// The setting by which ssh offers no key at all, or "".
std::string no_keys_setting(const Config& config);

// Under which name ssh looks for this host's key: what has to be said where it connects to an address instead.
std::string host_key_name(const Config& config);

}  // namespace diag::ssh
