// What link.pair says of addresses that both of its machines have: the lists of both ends, and the verdict on what they share.
// Not for who answers on the wire: link.topology asks that, of the link's own addresses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <diag/verdict.hpp>

#include "address_clash.hpp"
#include "machine.hpp"

namespace diag::link {

std::vector<OwnedAddress> own_addresses(const Machine& machine);

json to_json(const std::vector<OwnedAddress>& addresses);
// Throws diag::Unreadable where the document is none: it comes from another machine.
std::vector<OwnedAddress> addresses_from(const json& document);

// Where the end's planned address is, if that is neither on `interface` nor on what carries the same bytes (its bridge, bond or VLAN):
// "10.10.10.12 is on house of node-b, and not on direct"; "" where it is in its place, or no address.
std::string misplaced(const std::string& machine, const std::string& interface, const std::string& address,
                      const std::vector<OwnedAddress>& addresses);

struct ClashQuestion {
    std::string here, there;                                         // the machines
    std::optional<std::string> address = {}, peer_address = {};      // the site file's, of the two ends of this link
    std::vector<OwnedAddress> addresses_here, addresses_there = {};  // what they have
};

// link.address-on-both, or nothing.  What is in order, and yet worth a word, is added to `saw`.
std::optional<Verdict> judge_clashes(const ClashQuestion& question, std::string& saw);

}  // namespace diag::link
