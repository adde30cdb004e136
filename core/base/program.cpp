#include "base/program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace diag::base {
namespace {

bool regular(const std::string& path) {
    struct stat s {};
    return ::stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode);
}

}  // namespace

bool executable(const std::string& path) { return regular(path) && ::access(path.c_str(), X_OK) == 0; }

std::optional<std::string> find_program(const std::string& name) {
    if (name.empty()) return std::nullopt;
    if (name.find('/') != std::string::npos) return ::access(name.c_str(), F_OK) == 0 ? std::optional(name) : std::nullopt;
    const char* path = std::getenv("PATH");
    std::istringstream folders(std::string(path != nullptr ? path : "") + ":/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin");
    std::optional<std::string> found;
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (!folder.starts_with('/')) continue;
        const std::string candidate = folder + "/" + name;
        if (executable(candidate)) return candidate;
        if (!found && regular(candidate)) found = candidate;
    }
    return found;
}

}  // namespace diag::base
