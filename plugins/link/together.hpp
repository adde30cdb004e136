// The check link.together: what the functions of one physical port carry at the same time, each way.
#pragma once

#include <diag/declare.hpp>

namespace diag::bulk {

void declare_together(Plugin& plugin);

void declare_together_causes(Check& check);

}  // namespace diag::bulk
