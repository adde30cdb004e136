// What looks wrong with the interfaces of a machine, without being told what it is meant to be.
#pragma once

#include <string>
#include <vector>

#include <diag/types.hpp>

#include "machine.hpp"

namespace diag::link {

struct Suspicion {
    std::string cause, reason;
    json values = json::object();  // fill the remedy
};

std::vector<Suspicion> suspicions(const Machine& machine, World& world);

// Functions of one physical port have one key: its name, and the switch or adapter that it is on.  Never the PCI slot: the functions
// of one port can be on two PCI domains.  "" where the driver does not tell both.
std::string port_key(const Seen& seen);

}  // namespace diag::link
