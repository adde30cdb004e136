// What the record needs from the file system: exact modes whatever the umask, nothing followed, everything synced.
// Inside of core/record only.  Errors are RecordError with the path and what to do.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "record/error.hpp"

namespace diag::record {

// "; free some space ..." and the like for an errno, "" where there is nothing to advise.
std::string advice(int error);

// "PATH: WHAT: strerror(error)" + advice.
std::string sentence(const std::filesystem::path& path, std::string_view what, int error);

// Throws RecordError(sentence(path, what, errno)).
[[noreturn]] void throw_record_error(const std::filesystem::path& path, std::string_view what);

// A folder that the user named: it may be a symbolic link.
base::Fd open_folder(const std::filesystem::path& path);

// A new folder of mode 0700 in `parent`, its name on disk; nothing where that name is taken.  `path` is for messages.
std::optional<base::Fd> make_folder(int parent, const std::string& name, const std::filesystem::path& path);

// An existing folder in `parent`; a symbolic link is an error.
base::Fd enter_folder(int parent, const std::string& name, const std::filesystem::path& path);

// A new file of mode 0600 in `parent`, content and name on disk; false where that name is taken.
// Nothing is left of it when it throws.
bool write_new(int parent, const std::string& name, std::string_view data, const std::filesystem::path& path);

// `path` and what is missing above it, each 0700; what exists keeps its mode.
void make_folders(const std::filesystem::path& path);

}  // namespace diag::record
