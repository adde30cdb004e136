// The rules that make one Result of a check's two halves.  Pure.
#pragma once

#include <string>

#include "host/result.hpp"

namespace diag::host {

// `here` is the half that judges.  What `there`, on the machine of that name, measured, kept and relied on stands under
// "there.NAME".  Its verdict is taken where it is worse, where it broke down (not_run), and where
// `here` could not tell because `there` was gone.
Result join(Result here, const Result& there, const std::string& machine);

}  // namespace diag::host
