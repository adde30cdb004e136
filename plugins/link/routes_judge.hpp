// The judgement of link.routes over a World: whether a link's traffic takes that link, both ways.
#pragma once

#include <optional>
#include <string>

#include "finding.hpp"
#include "world.hpp"

namespace diag::link {

struct RoutesQuestion {
    std::string interface;
    std::optional<std::string> address;  // this machine's own, on this link
    std::optional<std::string> peer;     // the far end's
};

// Throws diag::Absent where there is no such interface, diag::Unreadable where addresses or routes cannot be known,
// diag::BadValue where an address is none.
Finding judge_routes(const RoutesQuestion& question, World& world);

}  // namespace diag::link
