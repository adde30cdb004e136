// What the processors of this machine did, which iperf3's own figures leave out: whether one spent its time on receiving packets
// (softirq), how many had nothing to do, and whether a program got the one that it wanted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace diag::bulk {

// Clock ticks since boot, by processor.
struct Processor {
    std::string name;  // "cpu3"
    double softirq = 0, idle = 0, all = 0;
};

// The text of /proc/stat.
std::vector<Processor> parse_processors(const std::string& stat);
// Now; none where it cannot be read.
std::vector<Processor> processors_of(const std::filesystem::path& root);

struct Busiest {
    std::string name;
    double share = 0;  // of the time between the two readings
    double busy = 0;   // with this and everything else
};

// The processor with the largest share of softirq; an empty name where none can be told.
Busiest busiest_in_softirq(const std::vector<Processor>& before, const std::vector<Processor>& after);

// Seconds of the thread of a process that wanted a processor most: with one, and in the queue for one (/proc/PID/task/*/schedstat,
// Linux Documentation/scheduler/sched-stats.rst).  Zeros where the kernel does not tell.
struct ThreadTime {
    double ran = 0, waited = 0;

    double wanted() const { return ran + waited; }
};
ThreadTime keenest_thread(pid_t process);

// How many processors were idle on average, beside the work there was: 6.5 of 8.  0 where there is one only, which a single thread
// fills; nothing where that cannot be told.
std::optional<double> idle_processors(const std::vector<Processor>& before, const std::vector<Processor>& after);

}  // namespace diag::bulk
