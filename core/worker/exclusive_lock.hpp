// The lock that lets one exclusive check at a time load this machine.  It dies with its holder.
#pragma once

#include <filesystem>
#include <string>

#include "base/fd.hpp"

namespace diag::worker {

// What DIAG_LOCK says, where that is an absolute path: the lab's nodes are several machines with one /run.  Else
// /run/diag-exclusive.lock for root, or one in the user's own runtime folder: a file that other users could make first (as in /run/lock)
// would let them keep root waiting.
std::filesystem::path exclusive_lock_path();

class ExclusiveLock {
  public:
    // Opens the file; throws std::system_error with its path.
    ExclusiveLock();
    // Takes the lock and writes this process's id into the file, or returns false where another holds it.
    bool try_take();
    // "process 4711 (diag-worker)", as far as it can be told.
    std::string holder() const;

  private:
    std::filesystem::path path_;
    base::Fd fd_;
};

}  // namespace diag::worker
