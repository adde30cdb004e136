// Where this diag's own parts are: an installation and the build tree have the same layout.
//     PREFIX/bin/diag   PREFIX/bin/diag-worker   PREFIX/lib/diag/plugins   PREFIX/share/diag/runbooks
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace diag::cli {

std::filesystem::path prefix();
std::filesystem::path worker_program();

// The search path of plugins: `told` (--plugins) alone, else the own folder, /etc/diag/plugins, DIAG_PLUGINS.
std::vector<std::string> plugin_dirs(const std::vector<std::string>& told);

// A runbook by path, or by name among the installed ones.  Throws UsageError with the names there are.
std::filesystem::path find_runbook(const std::string& name_or_path);

// The file to read: as root without a symbolic link on the way to it, refused where somebody else could have written it.
// Throws UsageError with the reason.
std::filesystem::path trusted(const std::filesystem::path& file);

// As root, refuses a place for records, or a record to go on with, where somebody else could have written or could yet.  Returns it with
// its symbolic links resolved, so that what was judged is what is used; for other users as it is.  Throws UsageError with the reason.
std::filesystem::path trusted_state(const std::filesystem::path& state);
std::filesystem::path trusted_record(const std::filesystem::path& folder);

}  // namespace diag::cli
