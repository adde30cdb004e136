// Whose ssh, files and agent are meant: the caller's of sudo, as base/ssh_command.hpp has it, or this process's own.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <sys/types.h>

#include "world.hpp"

namespace diag::ssh {

// setpriv and env under sudo, else nothing: what stands before "ssh" in its command.
std::vector<std::string> callers_prefix();
std::vector<std::string> as_caller(const std::vector<std::string>& words);

// The effective user for file calls while it lives, so that modes and NFS (root_squash) say what they say to ssh.
// It is the whole process's: not while other threads run.
class AsCaller {
  public:
    AsCaller();
    ~AsCaller();
    AsCaller(const AsCaller&) = delete;
    AsCaller& operator=(const AsCaller&) = delete;

  private:
    bool changed_ = false;
    gid_t group_ = 0;
};

// World::log_in() with the real ssh.
std::vector<Answer> run_logins(const std::vector<Login>& logins, std::size_t width, std::chrono::milliseconds total);

}  // namespace diag::ssh
