// What a catalogue must keep to beyond its form, whoever wrote the plugin.
#pragma once

#include "host/catalogue.hpp"

namespace diag::host {

// Throws BadCatalogue with the place and what is wrong.
void hold_to_rules(const PluginInfo& plugin);

}  // namespace diag::host
