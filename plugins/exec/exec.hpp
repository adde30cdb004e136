// The declaration of this plugin's check.
#pragma once

#include <diag/declare.hpp>

namespace diag::exec {

void declare_run(Plugin& plugin);

}  // namespace diag::exec
