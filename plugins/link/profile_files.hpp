// One reader for each sort of profile: the text of a file, and what it is meant for.  profiles.cpp finds the files.
#pragma once

#include <string>
#include <vector>

#include "profiles.hpp"

namespace diag::link {

// Nothing where it is not for an Ethernet interface, or not started by itself.
std::vector<Profile> keyfile_profiles(const std::string& text, const std::string& file);   // NetworkManager: nm-settings-keyfile(5)
std::vector<Profile> network_profiles(const std::string& text, const std::string& file);   // systemd.network(5)
std::vector<Profile> ifupdown_profiles(const std::string& text, const std::string& file);  // interfaces(5)
// Throws std::runtime_error where it is no YAML.
std::vector<Profile> netplan_profiles(const std::string& text, const std::string& file);  // netplan(5)

}  // namespace diag::link
