// How this product calls ssh: one list of options for every connection, so that no place relaxes what another insists on.
// Not for reading what ssh says.
#pragma once

#include <string>
#include <vector>

namespace diag::base {

// Whom to log in to.  `host` is what stands behind ssh on a command line; `user` and `config` (a file; "~/" is the login user's
// home) may be empty: then the user's own configuration decides.
struct SshTarget {
    std::string host, user, config;
};

// The user who called sudo, or nobody ("") where sudo was not used.  Under sudo, ssh must run as that user: with that user's
// keys, known hosts and agent, which root lacks.
struct InvokingUser {
    std::string name, home, agent;  // agent: SSH_AUTH_SOCK of a process between this one and its login; may be empty
    unsigned uid = 0, gid = 0;
};
InvokingUser invoking_user();

// The program and its words, for exec: never a shell's.  `options` are more words before the host ("-v"); `command` is one
// constant word for the peer's login shell, or "" for none.  Under sudo the words begin with setpriv, which becomes that user.
// Throws std::invalid_argument for a host or a user that ssh would read as an option, or that is empty.
std::vector<std::string> ssh_command(const SshTarget& target, const std::string& command, const std::vector<std::string>& options = {});

}  // namespace diag::base
