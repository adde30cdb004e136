// Text files of /etc, /proc and /sys, below --root where one is given.  Absent and unreadable are told apart.
// Not for large files: what is longer than 4 MiB is refused.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace diag::probe {

// The whole of `path` (absolute).  `root`: empty, or a captured tree; its symbolic links, absolute ones too, stay
// within it.  Throws diag::Absent where there is no such file, diag::Unreadable with the reason for everything else.
std::string read_text(const std::filesystem::path& root, const std::string& path);
// The names in a folder, sorted, without . and .. ; the same errors.
std::vector<std::string> list_folder(const std::filesystem::path& root, const std::string& path);
// Where a symbolic link points, as it is written there; the same errors.
std::string read_link(const std::filesystem::path& root, const std::string& path);

}  // namespace diag::probe
