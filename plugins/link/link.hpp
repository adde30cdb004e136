// The declarations of this plugin's checks; one .cpp each.
#pragma once

#include <diag/plugin.hpp>

namespace diag::link {

void declare_state(Plugin& plugin);
void declare_routes(Plugin& plugin);
void declare_look(Plugin& plugin);

}  // namespace diag::link
