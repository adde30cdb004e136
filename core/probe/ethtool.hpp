// What a driver tells of its link's settings: forward error correction, autonegotiation, speed and duplex, by ethtool netlink.
// Without ethtool installed and without root.  Not for carrier and counters: netlink.hpp has those.
// In a captured tree (--root) they are the outputs of ethtool(8), `ethtool eth0 > ROOT/ethtool/eth0 2>&1` and
// `ethtool --show-fec eth0 > ROOT/ethtool/eth0.fec 2>&1`: the kernel has no files of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/port.hpp"

namespace diag::probe {

// Unsupported is not off: a driver without FEC says nothing about what the wire does.
enum class FecMode {
    unreadable,   // the kernel or its driver would not tell, or there is no active mode to tell (no carrier); `why` says it
    unsupported,  // the driver has no FEC settings (EOPNOTSUPP, or none of any kind)
    off,
    rs,         // Reed-Solomon, clause 91 or 108
    baser,      // FireCode, clause 74
    llrs,       // low-latency Reed-Solomon
    automatic,  // the driver chooses, and does not say what it chose
};
std::string_view to_text(FecMode mode);

struct Fec {
    FecMode mode = FecMode::unreadable;   // the active one; else the configured one, where it is one alone
    std::vector<std::string> configured;  // "auto", "off", "rs"...
    std::string why;                      // of unreadable and unsupported
};

struct LinkSettings {
    enum class State { told, unsupported, unreadable };
    State state = State::unreadable;
    std::optional<bool> autonegotiation;  // nothing where the driver does not say
    Speed speed;                          // means something only with carrier
    std::string duplex;                   // full, half; "" where it is not known
    std::string why;                      // of unsupported and unreadable
};

// Both throw diag::Absent where there is no such interface, and nothing else: what cannot be read is an answer.
Fec fec(const std::filesystem::path& root, const std::string& interface);
LinkSettings link_settings(const std::filesystem::path& root, const std::string& interface);

// The outputs of ethtool(8), for captured trees.
Fec parse_fec(std::string_view output);
LinkSettings parse_link_settings(std::string_view output);

// What a driver's answer comes to.  `active`: the bit of an ethtool link mode, 0: none told.  `modes`: the configured ones.
Fec fec_from(unsigned active, const std::vector<unsigned>& modes, bool automatic);

}  // namespace diag::probe
