// One iperf3 client run in one direction, and what else is seen while it runs: latency, byte counters, processors.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bulk_cpu.hpp"
#include "bulk_report.hpp"
#include "probe/address.hpp"
#include "probe/echo.hpp"
#include "probe/traffic.hpp"

namespace diag::bulk {

struct Plan {
    probe::Address peer;
    std::optional<probe::Address> source;  // ours, on the interface that is meant
    std::int64_t port = 5201, streams = 4, seconds = 20;
    std::chrono::seconds slack{10};  // beyond `seconds`, for connecting and closing: later iperf3 counts as hanging
};

// Round trips of small echo probes.
class Pinger {
  public:
    // Where no echo socket opens, nothing is ever measured; problem() says why.
    Pinger(const probe::Address& peer, const std::string& interface);
    // One probe, and whatever is answered until `tick` is over.
    void ping(std::chrono::milliseconds tick);
    // Answers that are still on their way belong to the load that they met.
    void collect(std::chrono::milliseconds patience);

    std::vector<double> take_round_trips() { return std::exchange(round_trips_, {}); }  // ms
    const std::string& problem() const { return problem_; }

  private:
    std::optional<probe::EchoSocket> socket_;
    std::vector<double> round_trips_;
    std::string problem_;
    std::uint16_t next_ = 1;
};

struct Flow {
    bool reverse = false;  // the peer sends
    Report report;
    std::string output, errors;           // iperf3's own, as they came
    std::vector<probe::Traffic> carried;  // by every interface, while it ran
    Busiest softirq;
    std::vector<double> round_trips;  // ms, under load
};

// Throws what parse_report() throws, and diag::Absent or diag::Unreadable where iperf3 cannot be run.
Flow run_flow(const Plan& plan, bool reverse, Pinger& pinger);

// The client's argv; names from files stand only where no option can.
std::vector<std::string> client_argv(const Plan& plan, bool reverse);

}  // namespace diag::bulk
