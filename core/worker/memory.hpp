// How much memory the processes below this one hold.
#pragma once

#include <cstddef>

namespace diag::worker {

// Bytes of anonymous and shared memory (RssAnon + RssShmem) of all descendants.  Pages that processes share are
// counted once for each.
std::size_t descendants_memory();

// The same with shared pages counted once (Pss).  Walks page tables: only for when it matters.
std::size_t descendants_memory_exact();

}  // namespace diag::worker
