// What the lab keeps on disk: whether one is up, how large, and what is broken in it.  One lab per machine.
#pragma once

#include <string>

#include "base/fd.hpp"

namespace diag::lab {

inline constexpr const char* state_folder = "/run/diag-lab";
inline constexpr const char* site_path = "/run/diag-lab/site.yaml";
inline constexpr const char* pids_path = "/run/diag-lab/pids";
inline constexpr const char* made_path = "/run/diag-lab/made";  // folders that were not there before the lab

// The node's lock for exclusive checks (DIAG_LOCK).
inline std::string lock_path(const std::string& node) { return std::string(state_folder) + "/exclusive-" + node + ".lock"; }

struct State {
    int nodes = 0;       // 0: no lab
    bool ready = false;  // false from the first step of up, break and mend until after the last
    std::string broken;  // the fault in place, or ""
};

// No file is no lab: nodes is 0.  A file that cannot be read, or is not ours, throws std::runtime_error.
State load_state();

// Whole or not at all, also after a kill in the middle.
void save_state(const State& state);

// Whether another process has the lab's Lock now.
bool lab_is_held();

// Holds the lab against other `diag lab` commands, and makes the state folder.  Waits for the holder; says so on stderr.
// Programs started meanwhile hold it too: after a kill of this process the next one waits until they are done.
class Lock {
  public:
    Lock();
    int descriptor() const { return fd_.get(); }

  private:
    base::Fd fd_;
};

}  // namespace diag::lab
