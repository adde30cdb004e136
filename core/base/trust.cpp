#include "base/trust.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace diag::base {
namespace {

// The group is the owner's primary one, carries the owner's name, and lists nobody else.
bool private_group(uid_t owner, gid_t group) {
    const passwd* user = ::getpwuid(owner);
    if (user == nullptr || user->pw_gid != group) return false;
    const std::string name = user->pw_name;
    const struct group* g = ::getgrgid(group);
    if (g == nullptr || name != g->gr_name) return false;
    for (char** member = g->gr_mem; *member != nullptr; ++member)
        if (name != *member) return false;
    return true;
}

enum class Sticky { suffices, counts_as_open };

std::optional<std::string> distrust_one(const std::filesystem::path& path, uid_t user, Sticky rule) {
    struct stat s {};
    if (::lstat(path.c_str(), &s) != 0) return fmt::format("{}: {}", path.string(), std::strerror(errno));
    if (s.st_uid != 0 && s.st_uid != user)
        return fmt::format("{} belongs to user {}, not to root{}", path.string(), s.st_uid, user == 0 ? "" : " or to you");
    // In a sticky folder (/tmp) others can add names but not replace this one.
    const bool sticky = S_ISDIR(s.st_mode) && (s.st_mode & S_ISVTX) != 0 && rule == Sticky::suffices;
    if ((s.st_mode & S_IWOTH) != 0 && !sticky) return fmt::format("anyone can write {}", path.string());
    const bool group_writes = (s.st_mode & S_IWGRP) != 0 && !sticky && !(user == 0 && s.st_gid == 0);
    if (group_writes && (user == 0 || !private_group(s.st_uid, s.st_gid)))
        return fmt::format("group {} can write {}", s.st_gid, path.string());
    return std::nullopt;
}

std::optional<std::string> distrust_all(const std::filesystem::path& path, uid_t user, Sticky above, Sticky itself) {
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::canonical(path, error);
    if (error) return fmt::format("{}: {}", path.string(), error.message());
    for (std::filesystem::path at = whole;; at = at.parent_path()) {
        if (auto reason = distrust_one(at, user, at == whole ? itself : above)) return reason;
        if (at == at.root_path()) return std::nullopt;
    }
}

}  // namespace

std::optional<std::string> distrust(const std::filesystem::path& path, uid_t user) {
    const Sticky rule = user == 0 ? Sticky::counts_as_open : Sticky::suffices;
    return distrust_all(path, user, rule, rule);
}

std::optional<std::string> distrust_place(const std::filesystem::path& path, uid_t user) {
    std::filesystem::path there = std::filesystem::absolute(path);
    std::error_code error;
    while (!std::filesystem::exists(there, error) && !error && there.has_relative_path()) there = there.parent_path();
    const bool whole = there == std::filesystem::absolute(path);
    return distrust_all(there, user, Sticky::suffices, whole ? Sticky::counts_as_open : Sticky::suffices);
}

}  // namespace diag::base
