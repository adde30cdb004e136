// Taking a lab away, whole or half built or half taken away: by the names with the lab's prefix and the recorded processes alone.
#pragma once

namespace diag::lab {

// Ends the processes, then removes namespaces, files and folders.  The caller holds the Lock, whose folder stays.
// Returns false where there was nothing.  Throws CommandFailed, std::system_error or std::runtime_error.
bool take_down();

}  // namespace diag::lab
