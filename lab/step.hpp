// One thing done to one part of the lab.  The lab itself and every fault are lists of these.
#pragma once

#include <string>
#include <vector>

#include "lab/command.hpp"

namespace diag::lab {

struct Step {
    std::string part;   // where: "a", "direct", "router", ...; "" is this machine (`ip netns add`)
    Argv argv;          // a program; or one of the lab's own words, below
    std::string input;  // its stdin
};

// The lab's own words, beside programs:
//   sysctl NAME VALUE     NAME below /proc/sys/net, with slashes; absent ipv6/ and bridge/ entries are passed over
//   hosts drop NAME       every line of the node's /etc/hosts that gives NAME an address
//   hosts add LINE        one more line at its end
//   learn ADDRESS BYTES   packets of that size with DF, until the kernel knows a smaller path MTU for the address
//   sshd stop|again|freeze|thaw|occupy|replace   the node's sshd; occupied, somebody holds an unfinished login to it; replaced,
//                         its port accepts and closes at once
//   iperf3 start|occupy|release   a server that stands on the node; occupied, somebody runs a test with it
// Steps of IPv6 (`ip -6`, an IPv6 ADDRESS) are passed over where this machine's kernel has none.
// Throws CommandFailed, std::system_error, or Interrupted before the step.
void apply(const Step& step);
void apply(const std::vector<Step>& steps);

}  // namespace diag::lab
