// The causes of link.pair, for its declaration.
#pragma once

#include <diag/declare.hpp>

namespace diag::link {

// Those that judge_pair() and judge_clashes() name: {machine}, {interface}, {wanted} and {found} are filled by the verdict.
void declare_pair_causes(Check& check);

}  // namespace diag::link
