// Whose files may be executed or believed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

namespace diag::base {

// Why `path` must not be trusted by a process of user `user`, or nothing where it may.
// As root: a root-owned file below root-owned folders that nobody else can write.
// Otherwise: owned by root or the user; group-writable only where the group is the owner's private one
// (the owner's primary group, with no other member: OpenSSH's rule on Debian).
// Folders above count too.  Symbolic links are resolved first.
std::optional<std::string> distrust(const std::filesystem::path& path, uid_t user);

// The same for a place where a process of user `user` keeps what is its own: below a sticky folder (/tmp), root's own will do too, since
// nobody else can take its name away.  What is not there yet is judged by the folder that it would be made in.
std::optional<std::string> distrust_place(const std::filesystem::path& path, uid_t user);

}  // namespace diag::base
