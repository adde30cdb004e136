// Whether this very process sees a lab's network: told by the namespace itself, not by a variable that can be lost.
#pragma once

namespace diag::lab {

bool inside();

}  // namespace diag::lab
