// Which network profiles there are, and which interface each is meant for: keyfiles of NetworkManager, netplan's YAML, .network files
// of systemd-networkd, and ifupdown's interfaces.
// Not for what is in force now: an interface can have lost its profile, and a profile its interface.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "machine.hpp"

namespace diag::link {

struct Profile {
    std::string manager;  // "NetworkManager", "netplan", "networkd", "ifupdown"
    std::string name, file;
    std::vector<std::string> interfaces;  // names, or patterns as in fnmatch(3); '!' in front: not these
    std::vector<std::string> macs;        // lower case
    bool anything = false;                // it is for whatever comes, or for what is not understood here (driver, path)

    // Whether it may be meant for this interface.
    bool fits(const Seen& seen) const;
    // Whether it is meant for this one, by its very name or MAC.
    bool bound_to(const Seen& seen) const;
};

struct Profiles {
    std::vector<Profile> all;
    std::vector<std::string> unread;  // files that could not be read, with the reason: nothing is known of what is in them
};

// Those that are active by themselves.  Folders that are not there hold none.
Profiles profiles(const std::filesystem::path& root);

// A name without a pattern.
bool plain_name(const std::string& name);

// Whether one of these patterns fits a name, and none with '!' in front does; no pattern fits nothing.
bool matches(const std::vector<std::string>& patterns, const std::string& name);

}  // namespace diag::link
