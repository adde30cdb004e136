// One end of a link as its own machine sees it, and the site file's plan for both: what link.pair compares.
// Plain data, with a JSON form that travels from one half of the check to the other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <diag/types.hpp>

#include "probe/ethtool.hpp"

namespace diag::link {

// A value; or there is none to have (the driver has no such thing, a virtual interface); or it is not known.
template <class T>
struct Told {
    std::optional<T> value = std::nullopt;
    bool none = false;     // there is none
    std::string why = {};  // there is none, or it is not known
};

struct EndState {
    std::string machine, interface;
    enum class Presence { here, absent, unreadable } presence = Presence::here;
    std::string why = {};   // of absent and unreadable
    std::string kind = {};  // "veth", "bond"...; "" for hardware
    std::string mac = {};   // "" where it has none
    bool up = true;         // switched on
    bool carrier = true;
    Told<Rate> speed = {};          // none: a virtual interface reports an invented one
    Told<std::string> duplex = {};  // full, half
    Told<bool> autonegotiation = {};
    Told<std::int64_t> mtu = {};  // bytes
    probe::FecMode fec = probe::FecMode::unreadable;
    std::string fec_why = {};  // of unreadable and unsupported
};

// Reads this machine's end, or a captured tree's.  Throws nothing: what is absent or unreadable is said in the state.
EndState see_end(const std::filesystem::path& root, const std::string& machine, const std::string& interface);

json to_json(const EndState& end);
// Throws diag::Unreadable where the document is none: it comes from another machine.
EndState end_from(const json& document);

}  // namespace diag::link
