// The files that a node sees in place of the machine's own /etc: /etc/netns/diag-lab-<node>/, where `ip netns exec` finds them too.
#pragma once

#include <filesystem>
#include <string>

namespace diag::lab {

inline constexpr const char* node_files_folder = "/etc/netns";

std::filesystem::path node_folder(const std::string& node);

std::string read_node_file(const std::string& node, const std::string& name);

// Written in place, so that a shell that has the file bound over its /etc sees the change.
void write_node_file(const std::string& node, const std::string& name, const std::string& text);

// This machine's nsswitch.conf with `hosts: files`: no name of a node is ever asked of DNS, mDNS or a cache.
std::string nsswitch_with_files_only(const std::string& machines_own);

}  // namespace diag::lab
