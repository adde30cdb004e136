// Whether interfaces lost their carrier while a load ran, by the kernel's count of its changes.
// Not for whether they have one now, before any load: that is link.state.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "probe/netlink.hpp"

namespace diag::bulk {

struct CarrierLoss {
    std::string machine, interface;  // machine: "" where it has no name
    std::uint32_t times = 0;         // 0: it is without carrier, though the count did not change
    bool gone = false;               // it has none now
};

// What became of the carrier between two looks at an interface; nothing where it was kept, or where that cannot be told.
std::optional<CarrierLoss> carrier_loss(const probe::Interface& before, const probe::Interface& after);

// "direct of node-b lost its carrier 2 times during the test", and whether it is back.
std::string words_of(const CarrierLoss& loss);

// Looks at interfaces when it is made, and again when it is asked.
class CarrierWatch {
  public:
    CarrierWatch(std::string machine, const std::vector<std::string>& interfaces);
    // By the name under which the interface was given; those that kept it are not there.
    std::map<std::string, CarrierLoss> losses() const;

  private:
    std::string machine_;
    std::map<std::string, probe::Interface> before_;
};

}  // namespace diag::bulk
