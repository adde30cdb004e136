// What the files of this machine say of its names: its own, where names come from, what looks wrong.  Asks no server
// and no resolver, which may hang: what only they know is told as not asked.  But for tell_names(), which is for nothing else.
#pragma once

#include <functional>
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

// What other machines' addresses and names are called here.  This asks the resolver, one after the other, and each is told at once:
// where it hangs until the deadline, what was told before stands.  A name counts for an address only where it leads back to it.
using TellName = std::function<void(const std::string& asked, const std::string& name, const std::vector<std::string>& addresses)>;
void tell_names(const std::vector<std::string>& others, World& world, const TellName& tell);

}  // namespace diag::names
