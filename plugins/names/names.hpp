// The declarations of this plugin's checks; one .cpp each.
#pragma once

#include <diag/plugin.hpp>

namespace diag::names {

void declare_resolve(Plugin& plugin);
void declare_reach(Plugin& plugin);
void declare_sweep(Plugin& plugin);

}  // namespace diag::names
