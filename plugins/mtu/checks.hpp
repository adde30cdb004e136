// The plugin's checks, each declared in the file of its name.
#pragma once

#include <diag/declare.hpp>

namespace mtu {

void declare_interface(diag::Plugin& plugin);  // interface.cpp
void declare_path(diag::Plugin& plugin);       // path.cpp

}  // namespace mtu
