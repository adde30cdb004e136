// The processes in the lab's namespaces: found by the namespace they are in, ended by a handle that cannot mean another.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace diag::lab {

// A pid alone may be another process by tomorrow; with its start time (clock ticks after boot, proc(5)) it is one process.
struct Process {
    pid_t pid = 0;
    unsigned long long start = 0;
};

// Empty where there is no such process (any more).
std::optional<Process> process(pid_t pid);

// Those recorded in `pids_path` that still live, and a way to add one (on disk when it returns).
std::vector<Process> recorded_processes();
void record_process(const Process& process);

// Kills those recorded processes whose argv[0], or kernel's name, is `name`, in one node's network (in any, where `node` is empty), and
// returns when they are gone.  Throws std::runtime_error where they do not go.
void end_recorded(const std::string& name, const std::string& node);

// Sends one signal to the same ones; returns false where there was none.
bool signal_recorded(const std::string& name, const std::string& node, int number);

// Whether this very process stands in a node's network.
bool inside_the_lab();

// Ends every process whose network namespace is one of the lab's, and the recorded ones: SIGTERM, after two seconds SIGKILL.
// Throws std::runtime_error naming those that cannot be ended.
void end_processes();

}  // namespace diag::lab
