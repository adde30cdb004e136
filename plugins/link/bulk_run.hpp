// One iperf3 client run in one direction, and what else is seen while it runs: latency, byte counters, processors.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
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
    std::chrono::seconds slack{10};   // beyond `seconds`, for connecting and closing: later iperf3 counts as hanging
    std::filesystem::path root = {};  // where /proc/stat is read
};

struct Echoes {
    int sent = 0;
    std::vector<double> round_trips = {};  // ms, of those that were answered

    int unanswered() const { return sent - static_cast<int>(round_trips.size()); }
};

// Round trips of small echo probes.
class Pinger {
  public:
    // Where no echo socket opens, nothing is ever measured; problem() says why.
    Pinger(const probe::Address& peer, const std::string& interface);
    void send();
    // Whatever is answered until `tick` is over.
    void listen(std::chrono::milliseconds tick);
    // Waits for answers that are still on their way: they belong to the load that they met.
    void settle(std::chrono::milliseconds patience);

    // Since it was last asked; what was not answered until now is waited for no longer.
    Echoes take();
    const std::string& problem() const { return problem_; }

  private:
    // One answer of any kind; false when the time is over.
    bool receive(std::chrono::steady_clock::time_point until);

    std::optional<probe::EchoSocket> socket_;
    Echoes echoes_;
    std::string problem_;
    std::uint16_t next_ = 1;
};

struct Flow {
    bool reverse = false;  // the peer sends
    Report report;
    std::string output, errors;           // iperf3's own, as they came
    std::vector<probe::Traffic> carried;  // by every interface, while it ran
    Busiest softirq;
    ThreadTime thread = {};           // of iperf3 here; shares of the time in which bytes flowed
    std::optional<double> idle_here;  // processors that had nothing to do, of this machine
    Echoes echoes;                    // under load
};

// Throws what parse_report() throws, and diag::Absent or diag::Unreadable where iperf3 cannot be run.
Flow run_flow(const Plan& plan, bool reverse, Pinger& pinger);

// "3.12", of this machine's iperf3.  Throws diag::Unknown where it tells none.
std::string installed_version();

// The client's argv; names from files stand only where no option can.
std::vector<std::string> client_argv(const Plan& plan, bool reverse);

}  // namespace diag::bulk
