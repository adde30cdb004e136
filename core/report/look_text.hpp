// What `diag look` prints: the machine, a table for each kind of thing, and what looks wrong.
#pragma once

#include <string>

#include "host/look.hpp"
#include "report/text.hpp"

namespace diag::report {

// What the machine says of itself; "" where it does not say.
struct MachineName {
    std::string host, system, kernel, arch;
    bool lab = false;
};

std::string look_text(const MachineName& machine, const host::Seen& seen, const TextStyle& style);

// The document of --format json.
json look_document(const MachineName& machine, const host::Seen& seen);

}  // namespace diag::report
