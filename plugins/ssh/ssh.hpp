// The declarations of this plugin's checks; one .cpp each.
#pragma once

#include <diag/plugin.hpp>

namespace diag::ssh {

void declare_login(Plugin& plugin);
void declare_logins(Plugin& plugin);
void declare_keys(Plugin& plugin);

}  // namespace diag::ssh
