// Whether this process has what a check declares that it needs: "root", "net_admin", "net_raw", "program:NAME"
// (base/need.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace diag::worker {

struct Lack {
    std::string text;    // what is missing
    std::string remedy;  // the command that grants it
};

// The first need that is not met.  A word that is not known counts as not met.
std::optional<Lack> lacking(const std::vector<std::string>& needs);

}  // namespace diag::worker
