// An sshd on every node, where OpenSSH's server is installed: what one node logs in to another by.
#pragma once

#include <string>
#include <vector>

namespace diag::lab {

// Whether this machine has sshd and ssh-keygen; without them the lab stands, and logins cannot be rehearsed.
bool have_sshd();

// Starts the servers of these nodes where nobody listens, and returns when all do.  Their files are there (renew_ssh_files).
// Throws as start_service() does, and CommandFailed, with its log, where one does not come to listen.
void start_sshd(const std::vector<std::string>& nodes);

// Ends the node's server, those of every node where `node` is empty, and whoever occupies it.  Sessions live on, as they do on a
// real machine.
void end_sshd(const std::string& node = {});

// Stops the server where it stands, as one that is stuck, or lets it go on.
void freeze_sshd(const std::string& node, bool frozen);

// Somebody of the node's own connects to the server and never logs in.
void occupy_sshd(const std::string& node);

// Of take_down(), when the lab's own processes are gone: the folder that the servers needed, where the lab made it.
void remove_privilege_folder();

}  // namespace diag::lab
