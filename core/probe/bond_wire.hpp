// A bond and a member of one in the kernel's own messages: what bond.cpp is written on, apart from it so that a test can write such a
// message where the kernel has no bonding.  Not for users of diag::probe.
#pragma once

#include <optional>

#include "probe/bond.hpp"
#include "probe/netlink_wire.hpp"

namespace diag::probe {

// Nothing where the message is about no bond.  `active` is left for the caller: the message has an index.
struct BondMessage {
    Bond bond;
    unsigned active = 0;
};
std::optional<BondMessage> read_bond(const NetlinkMessage& message);

// Nothing where the message is about no member of this bond.
std::optional<BondMember> read_bond_member(const NetlinkMessage& message, unsigned master);

}  // namespace diag::probe
