// How interfaces of one machine stand on each other, where that makes an equal MAC no accident, or two of them one link.
#pragma once

#include <string>
#include <vector>

#include "machine.hpp"

namespace diag::link {

// A VLAN and what it stands on, the members of one bond, a bridge and the port that it has its MAC from, a macvlan in passthru mode:
// they have one MAC on purpose.
bool one_family(const Machine& machine, const Seen& one, const Seen& other);

// Whether frames of another machine come in by it: an adapter, a bond, a VLAN on one of these, or a name in `links`; not a virtual
// machine's or a container's port.
bool leads_outside(const Machine& machine, const Seen& seen, const std::vector<std::string>& links);

// A MAC that belongs to one interface alone: of Ethernet, not zero, not a virtual router's.
bool own_mac(const std::string& mac);

}  // namespace diag::link
