// The addresses that a path check is about: those of a name that leave by the interface meant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <diag/verdict.hpp>

#include "probe/address.hpp"
#include "probe/netlink.hpp"

namespace mtu {

struct Target {
    diag::probe::Address address;
    diag::probe::Route route;             // with what the kernel has cached
    std::optional<std::int64_t> own_mtu;  // of the route itself, bytes
    diag::probe::Interface interface;     // it leaves by
};

// Every address of `name` that is reached over `interface` ("": over any); at least one.  Otherwise the verdict
// that says why there is none.  Throws diag::Absent where the interface is not there.
std::variant<std::vector<Target>, diag::Verdict> find_targets(const std::string& name, const std::string& interface);

}  // namespace mtu
