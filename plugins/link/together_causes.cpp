#include "bulk.hpp"
#include "together.hpp"

namespace diag::bulk {

void declare_together_causes(Check& check) {
    declare_bulk_faults(check);
    check
        .cause("link.together-slow", mover::hardware,
               "Each function may carry enough alone; all of the port's at the same time carry less than the floor. Something that they "
               "share is full: PCI Express lanes, the cable, a switch port, or memory.",
               "diag check link.pcie interface={interface}, and of every other of {interfaces}: lanes and speed of each, and what they "
               "share; ethtool of each for the port's speed; then the same at the far end")
        .cause("link.together-uneven", mover::hardware,
               "One function of the port gets next to nothing while another carries: what they share is not divided between them.",
               "at both ends: diag check link.pcie interface={interface}; ethtool -S {interface} for drops and pauses; "
               "tc -s qdisc show dev {interface}")
        .cause("link.together-cpu-bound", mover::software,
               "The rate is below the floor because processors were full, not because the port was: the test measured cores.",
               "see what else runs: top; fewer streams: --set streams=2; spread receiving over the "
               "processors: /sys/class/net/{interface}/queues/rx-*/rps_cpus")
        .cause("link.together-unjudged", mover::configuration,
               "The rates were measured, and nothing says how high they should be together.",
               "give the links of the port speed or expect in the site file, or the check a floor such as 160Gbit");
}

}  // namespace diag::bulk
