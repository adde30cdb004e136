// Which build of diag this is: part of every record, and compared between machines.
#pragma once

#include <string_view>

namespace diag::base {

struct Build {
    std::string_view version;  // "0.1.0"
    std::string_view commit;   // abbreviated, "unknown" outside a checkout
    std::string_view changes;  // "clean", "dirty", or "unknown"
};

const Build& build();

}  // namespace diag::base
