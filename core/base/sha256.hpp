// SHA-256 as 64 lower-case hex digits (nettle does the work).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace diag::base {

std::string sha256(std::string_view data);

// Digest of a file's content.  Throws std::system_error with the path.
std::string sha256_file(const std::filesystem::path& path);

}  // namespace diag::base
