// The processes below this one, from /proc.  Only looks; reaper.hpp kills.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace diag::worker {

struct Process {
    pid_t pid = 0, parent = 0, session = 0;
    char state = 0;             // R S D T Z ... (proc(5))
    std::uint64_t started = 0;  // clock ticks since boot; with the pid, it tells one process from a later one
    std::string name;
    bool alive() const { return state != 'Z' && state != 'X'; }
};

// From /proc/PID/stat; nothing where there is no such process (any more).
std::optional<Process> read_process(pid_t pid);

// The children of all threads of `pid`, zombies included.
std::vector<pid_t> children_of(pid_t pid);

// Why the processes below this one cannot be seen; nothing where they can.
std::optional<std::string> unseen_processes();

// Visits every process below `root` (0: this one), parents first.  A visitor that returns false spares what lies below.
void visit_descendants(const std::function<bool(pid_t)>& visit, pid_t root = 0);

}  // namespace diag::worker
