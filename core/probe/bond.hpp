// A bond and its members as the kernel tells them by netlink (IFLA_BOND_*, IFLA_BOND_SLAVE_*), and in the same shape from a captured
// tree.  Not for teams (teamd keeps its state to itself).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace diag::probe {

// Bits of a port's state in IEEE 802.1AX (LACP), <linux/if_bonding.h> and drivers/net/bonding/bond_3ad.c.
struct LacpState {
    std::uint8_t bits = 0;
    bool in_sync() const { return (bits & 0x08) != 0; }
    bool collecting() const { return (bits & 0x10) != 0; }
    bool distributing() const { return (bits & 0x20) != 0; }
    bool defaulted() const { return (bits & 0x40) != 0; }  // no LACP of the partner was received: an invented one is used
    bool expired() const { return (bits & 0x80) != 0; }
    std::string text() const;  // "in sync, collecting, distributing"
};

struct BondMember {
    unsigned index = 0;
    std::string name;
    std::string mii;                // up, going down, down, going back; "" where it is not told
    std::optional<bool> in_backup;  // it carries nothing now
    std::optional<std::uint32_t> link_failures;
    std::string permanent_mac;
    std::optional<unsigned> aggregator;  // 802.3ad only, as the next two
    std::optional<LacpState> actor, partner;
    std::string actor_churn, partner_churn;  // none, monitoring, churned; "" where /proc/net/bonding does not tell
};

struct Bond {
    std::string mode;                     // "802.3ad", "active-backup", "balance-rr"...
    std::optional<std::uint32_t> miimon;  // ms; 0: carrier is not watched; nothing where a captured tree does not hold it
    std::optional<std::uint32_t> arp_interval;
    std::string active;                         // active-backup's member; "" where there is none
    std::optional<unsigned> aggregator, ports;  // 802.3ad: the active one, and how many ports it has
    std::string partner_mac;                    // "00:00:00:00:00:00" where nobody speaks LACP; "" where it is not told
    std::vector<BondMember> members;

    bool lacp() const { return mode == "802.3ad"; }
};

// The bond of this name and its members.  `root`: empty, or a captured tree.  Throws diag::Absent where there is no such interface or
// it is no bond, diag::Unreadable where the kernel would not say, or where a tree does not hold the bond's mode or members.
Bond bond(const std::filesystem::path& root, const std::string& name);

// Churn states of the members in the text of /proc/net/bonding/NAME, the only place where the kernel tells them.
void read_churn(const std::string& text, std::vector<BondMember>& members);

}  // namespace diag::probe
