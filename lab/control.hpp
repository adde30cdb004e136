// The lab's life: up, broken, mended, down.  Each call leaves it whole, or says in its state that it is not.
// The caller is root and holds the Lock.  Errors are CommandFailed, std::system_error or std::runtime_error; a signal that asks
// to end is Interrupted, after the way back.
#pragma once

#include "lab/faults.hpp"
#include "lab/state.hpp"

namespace diag::lab {

// A new lab; what an interrupted command left of an older one is taken away first.  Where it fails, nothing of it stays.
void build_lab(int nodes);

// Returns false where there was nothing to take away.
bool remove_lab();

// Puts one fault in place, in a lab that is as new otherwise.  Where it fails, the lab is mended again.
void break_lab(const State& before, const Fault& fault);

// As new, by laying every wire again; what runs inside lives on.  After a kill in the middle of `up` it is built anew.
void mend_lab(int nodes);

}  // namespace diag::lab
