// Whether one processor of this machine spent its time on receiving packets (softirq), which iperf3's own figures leave out.
#pragma once

#include <string>
#include <vector>

namespace diag::bulk {

// Clock ticks since boot, by processor.
struct Processor {
    std::string name;  // "cpu3"
    double softirq = 0, all = 0;
};

// The text of /proc/stat.
std::vector<Processor> parse_processors(const std::string& stat);

struct Busiest {
    std::string name;
    double share = 0;  // of the time between the two readings
};

// The processor with the largest share of softirq; an empty name where none can be told.
Busiest busiest_in_softirq(const std::vector<Processor>& before, const std::vector<Processor>& after);

}  // namespace diag::bulk
