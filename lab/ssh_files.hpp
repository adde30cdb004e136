// The lab's own ssh, as files: a user's key pair, a host key for every node, and what makes every node know every other.
// Nothing of it is this machine's: not ~/.ssh, not /etc/ssh.  For the servers see sshd.hpp.
#pragma once

#include <filesystem>
#include <string>

#include "lab/topology.hpp"

namespace diag::lab {

// In a node this folder is the node's own (node.cpp binds it), as ~/.ssh and /etc/ssh are a machine's own, and root's home: no
// start file, key or setting of this machine's root has a say in a login.
//   config, id_ed25519, id_ed25519.pub, known_hosts      for logging in: ssh -F /run/diag-lab/ssh/config node-b
//   authorized_keys, host_key, host_key.pub, sshd_config, sshd.pid, sshd.log      for being logged in to
// Outside of the nodes it has the first four.
inline constexpr const char* ssh_folder = "/run/diag-lab/ssh";
inline constexpr const char* ssh_config_path = "/run/diag-lab/ssh/config";

// What stands over ssh_config and sshd_config of /etc/ssh in every node, where the machine has them: that they are in that folder.
// So plain `ssh node-b` finds the lab's key, and `sshd -T` says what the node's server was told.
inline constexpr const char* etc_ssh_folder = "/run/diag-lab/etc-ssh";

// The same folder of one node, seen from anywhere.
std::filesystem::path ssh_folder_of(const std::string& node);

// Makes the keys that are not there yet, and every file anew; what a fault changed is as it was.  The sshd must not run.
// Throws CommandFailed, std::system_error or std::runtime_error.
void renew_ssh_files(const Topology& lab);

// Whether this machine's sshd is OpenSSH 9.8 or newer: it turns whoever failed to log in away for a while, which would make one fault show
// as another, and has other words for a login that is one too many.  False where there is none.
bool knows_penalties();

// What the files say; pure.  `host_key` is a public key as in *.pub.
std::string known_hosts_lines(const Topology& lab, const std::string& node, const std::string& host_key);
std::string sshd_config(const std::string& node, const std::string& programs, bool penalties);
std::string passwd_of_node(const std::string& machines_own);

}  // namespace diag::lab
