// Where a program lies: PATH, and the system's sbin folders, which ordinary users on Debian lack in theirs.
#pragma once

#include <optional>
#include <string>

namespace diag::base {

// `name` itself where it holds a slash and is there; else the first executable file of that name, or, where none is
// executable, the first that is there at all.  Nothing where there is none.  Folders of PATH that are not absolute
// are passed over: what is found must not depend on the working folder.
std::optional<std::string> find_program(const std::string& name);

// Whether this process may execute it.
bool executable(const std::string& path);

}  // namespace diag::base
