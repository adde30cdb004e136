// What one machine's looks say of where it can be met and whom it hears, read from what the plugins see (diag/look.hpp, Endpoint).
// Not for deciding who is joined with whom: join_looks.hpp.
#pragma once

#include <string>
#include <vector>

#include "host/look.hpp"

namespace diag::cli {

struct MachineLook {
    std::string given;  // as --peer has it; "" for this machine
    std::string key;    // in the site file
    host::Seen alone;   // asked of itself
    host::Seen met;     // asked again, with the others' addresses and names
};

struct Endpoint {
    std::string interface, address, network, identity;
    bool login = false, gateway = false;
};
std::vector<Endpoint> endpoints_of(const MachineLook& machine);

// Who answers for one address on one interface.
struct HeardAt {
    std::string interface, address;
    std::vector<std::string> identities;  // none: silence
};
std::vector<HeardAt> heard_by(const MachineLook& machine);

struct KnownAs {
    std::string asked, name;
    std::vector<std::string> addresses;
};
std::vector<KnownAs> names_at(const MachineLook& machine);

// "eth7: it has no carrier", for each interface by which nobody can be met.
std::vector<std::string> unfit_at(const MachineLook& machine);

// What it calls itself; "" where no plugin says it.
std::string host_name_of(const MachineLook& machine);

}  // namespace diag::cli
