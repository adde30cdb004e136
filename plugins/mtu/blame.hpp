// The path carries less than intended: the way there or the way back, a router, a device between, or the far interface.
// Pure, as decide.hpp.
#pragma once

#include <string>

#include <diag/verdict.hpp>

#include "decide.hpp"

namespace mtu {

// For Found::exact.
diag::Verdict blame(const Findings& findings);

// The far end as people know it: "node-b (10.0.0.2)".
std::string destination(const Findings& findings);

}  // namespace mtu
