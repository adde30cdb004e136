// What to keep of this end of a link when one of its checks has failed here: what a person would look at first, as the public programs
// and /proc show it.  Bounded in time (under 5 s) and size (1 MiB); no keys, no environment, no processes.
// Not for judging: nothing in it is read again by diag.
#pragma once

#include <diag/context.hpp>

namespace diag::link {

// Tells every text as evidence.  With a captured tree (--root) only its files: programs would show another machine.
Verdict link_snapshot(Context& c);

}  // namespace diag::link
