// An iperf3 server on every node, where iperf3 is installed: what throughput is measured against.
#pragma once

#include <string>

namespace diag::lab {

// Whether this machine has iperf3; without it the lab stands, and throughput cannot be rehearsed.
bool have_iperf();

// Starts the node's server where none listens, and returns when it does.  Throws as start_service() does, and CommandFailed
// where it does not come to listen.
void start_iperf(const std::string& node);

// A client of the node's own keeps its server busy until it is ended (a day at most).  Returns when it does.
void occupy_iperf(const std::string& node);

// Ends the node's servers and clients that the lab started; those of every node where `node` is empty.
void end_iperf(const std::string& node = {});

}  // namespace diag::lab
