// Whole files in and out, and the syncs that make them last.  Every error is a std::system_error with the path.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace diag::base {

// The whole file.  Throws std::system_error(EFBIG) when it is longer than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{64} << 20);

// All of `data` to an open descriptor, at its position.  `path` is for the message only.
void write_all(int fd, std::string_view data, const std::filesystem::path& path);

// A new file with exactly this content and mode, on disk (fsync) when it returns.  Throws EEXIST where one exists.
void write_new_file(const std::filesystem::path& path, std::string_view data, unsigned mode = 0600);

// Makes a folder's entries last (fsync of the folder).
void sync_folder(const std::filesystem::path& path);

[[noreturn]] void throw_errno(const std::string& what);

}  // namespace diag::base
