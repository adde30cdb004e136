// The declarations of this plugin's checks and of its look; one .cpp each.
#pragma once

#include <diag/plugin.hpp>

namespace diag::names {

void declare_resolve(Plugin& plugin);
void declare_reach(Plugin& plugin);
void declare_sweep(Plugin& plugin);
void declare_look(Plugin& plugin);

}  // namespace diag::names
