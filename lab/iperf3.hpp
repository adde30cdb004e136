// iperf3 servers that stand on a node, as somebody starts them by hand; link.bulk uses one where it is given a port.
#pragma once

#include <cstdint>
#include <string>

namespace diag::lab {

inline constexpr std::uint16_t iperf3_port = 5201;  // iperf3's own

// Starts the node's server where nobody listens, and returns when it listens.  Throws as start_service() does, and CommandFailed where
// iperf3 is missing or does not come to listen.
void start_iperf3(const std::string& node);

// Somebody of the node's own runs a test with its server; half an hour, unless it is released.
void occupy_iperf3(const std::string& node);
void release_iperf3(const std::string& node);

// Ends the servers of every node, and whoever occupies them.
void end_iperf3();

}  // namespace diag::lab
