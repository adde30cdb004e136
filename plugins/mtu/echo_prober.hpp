// The real Prober: echo probes with DF on one socket, answers matched by their sequence.
// How long it waits follows what the path has shown: it must not wait a second for each lost volley.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "probe/address.hpp"
#include "probe/echo.hpp"
#include "prober.hpp"

namespace mtu {

class EchoProber : public Prober {
  public:
    // `interface` "": the route decides.  `source`: this machine's address, where rules by source may matter.  Throws std::system_error
    // where this user may not open an ICMP socket, or as EchoSocket::open does.
    EchoProber(const diag::probe::Address& destination, const std::string& interface,
               const std::optional<diag::probe::Address>& source = std::nullopt);
    std::vector<Outcome> volley(const std::vector<Probe>& probes) override;
    void rest() override;
    diag::probe::EchoMethod method() const { return socket_.method(); }
    // How long a lost probe is waited for now.
    std::chrono::milliseconds patience() const;

  private:
    struct Waiting {
        Probe probe;
        std::size_t place = 0;  // in its volley's outcomes
        unsigned volley = 0;
    };
    bool send(const Probe& probe, std::size_t place, std::vector<Outcome>& outcomes);
    bool take(const diag::probe::EchoAnswer& answer, std::vector<Outcome>& outcomes);

    diag::probe::EchoSocket socket_;
    bool v6_;
    std::uint16_t next_ = 1;
    unsigned volley_ = 0;
    std::map<std::uint16_t, Waiting> waiting_;  // unanswered, of this volley and of earlier ones
    double slowest_ms_ = 0;                     // round trip; 0: nothing was answered yet
};

}  // namespace mtu
