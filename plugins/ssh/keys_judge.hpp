// What one account has to log in with, and whether its sshd would read the keys that may log in to it.
// Over a World, so that it is tested without accounts.
#pragma once

#include <string>

#include <diag/plugin.hpp>

#include "world.hpp"

namespace diag::ssh {

struct KeysQuestion {
    base::SshTarget target;  // host: whose block of the configuration counts
    bool here = true, there = true;
    bool any_host = false;  // nobody named one, so no remedy does
};

struct KeysFinding {
    Verdict verdict;
    std::string asked, saw, evidence;
};

KeysFinding judge_keys(const KeysQuestion& question, World& world);

// Why sshd (StrictModes) would not trust this file or folder, or nothing: secure_permissions() of OpenSSH as Debian and Ubuntu
// have it, where a group's right to write is none's where the group is the user's own alone.
std::optional<std::string> insecure(World& world, const FileState& state, const Account& account);

// One half each; the evidence is added to `notes`.
Verdict judge_own_keys(const KeysQuestion& question, World& world, const Account& account, std::string& notes);
Verdict judge_doors(World& world, const Account& account, bool asked_for, std::string& notes);

}  // namespace diag::ssh
