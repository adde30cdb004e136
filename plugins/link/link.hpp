// The declarations of this plugin's checks; one .cpp each.
#pragma once

#include <diag/plugin.hpp>

namespace diag::link {

void declare_state(Plugin& plugin);
void declare_pcie(Plugin& plugin);
void declare_bond(Plugin& plugin);
void declare_topology(Plugin& plugin);
void declare_pair(Plugin& plugin);
void declare_routes(Plugin& plugin);
void declare_look(Plugin& plugin);

// Causes that more than one of them can name; each is worded once.
void declare_absent(Check& check);
void declare_down(Check& check);
void declare_member_down(Check& check);
void declare_mac_twice(Check& check);
void declare_pcie_causes(Check& check);

}  // namespace diag::link
