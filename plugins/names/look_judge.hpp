// What the files of this machine say of its names: its own, where names come from, what looks wrong.  Asks no server
// and no resolver, which may hang: what only they know is told as not asked.
#pragma once

#include <string>
#include <vector>

#include <diag/plugin.hpp>

#include "world.hpp"

namespace diag::names {

struct LookFinding {
    struct Wrong {
        std::string cause, reason;
        json values = json::object();
    };
    std::vector<Property> machine;
    std::vector<Wrong> wrong;
};

// `live`: the files are this machine's, so its addresses may be compared with them; not so in a captured tree.
LookFinding look_at_names(World& world, bool live);

}  // namespace diag::names
