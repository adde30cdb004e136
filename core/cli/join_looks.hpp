// Which machines see each other on which interfaces: from their looks, by proof.  Two ends are joined where both have an address in one
// network, and the one, asking on its interface for the other's address, was answered with the identity (MAC) of the other's interface.
// Pure.  Not for the site file's form: joined_site.hpp.
#pragma once

#include <string>
#include <vector>

#include "cli/machine_look.hpp"

namespace diag::cli {

// One machine's end of a segment.
struct SegmentEnd {
    std::size_t machine = 0;  // a place in the list of looks
    Endpoint at;
};

// Ends that all see each other: a cable, or a switch.  Each machine stands there once, in the order of the looks.
struct Segment {
    std::string network;
    std::vector<SegmentEnd> ends;
};

struct JoinedLooks {
    std::vector<Segment> segments;      // in the order of the first machine's interfaces, then of the others'
    std::vector<std::string> left_out;  // what was not joined and why, a sentence each
};

// The looks have their keys.
JoinedLooks join_looks(const std::vector<MachineLook>& machines);

// "a", "a and b", "a, b and c"
std::string enumerated(const std::vector<std::string>& words);

}  // namespace diag::cli
