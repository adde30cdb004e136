// The lock that lets one exclusive check at a time load this machine.  It dies with its holder.
#pragma once

#include <filesystem>
#include <string>

#include "base/fd.hpp"

namespace diag::worker {

// What DIAG_LOCK says, where that is an absolute path: the lab's nodes are several machines with one /run.  Else /run itself: there is one
// on every machine, every user can open it, and nothing is ever written, so that there is no file which somebody else could have made.
std::filesystem::path exclusive_lock_path();

class ExclusiveLock {
  public:
    // Opens what is locked; a file that DIAG_LOCK names and that is not there is made.  Throws std::system_error with its path.
    ExclusiveLock();
    // Takes the lock, or returns false where another holds it.
    bool try_take();
    // "process 4711 (diag-worker)", as far as it can be told.
    std::string holder() const;

  private:
    std::filesystem::path path_;
    base::Fd fd_;
};

}  // namespace diag::worker
