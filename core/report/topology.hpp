// What is known of the machines and their links: the site file's plan, what this machine sees of its own ends, and what was
// measured last.  `diag topology` prints it, and writes it into a lab notebook.
// Not for judging whether plan and machine agree: checks do that.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/look.hpp"
#include "report/look_text.hpp"
#include "report/sheet.hpp"

namespace diag::report {

struct SiteMachine {
    std::string key, name;  // name: "" where the site file gives none
    std::vector<std::string> roles;
};

struct Topology {
    MachineName on;         // this machine, or the captured tree
    std::string machine;    // its key in the site file; without one, its host name
    std::string site_file;  // "": there is none
    std::string root;       // of a captured tree; "": the machine itself
    bool lab = false;
    std::vector<SiteMachine> machines;
    std::vector<SheetLink> links;
    json site = json::object();  // the whole site file, for what the core does not know
    host::Seen seen;
    // Of records of this machine: the newest verdict of each check, under the row's label; "direct: node-a -> node-b".
    std::map<std::string, std::vector<json>> measured;
};

// An end of a link as this machine sees it.  `unknown`: it belongs to another machine, or what should look could not.
enum class Sight { seen, not_seen, unknown };
struct EndSight {
    Sight sight = Sight::unknown;
    const host::Thing* thing = nullptr;  // where it is seen
    std::string why;                     // where it is not
};
EndSight look_at(const Topology& topology, const SheetEnd& end);

// The notebook's line.  `table`: key -> "look.KIND" (what is seen of that kind), "link.KEY" and "end.KEY" (of the first link of
// this machine that is no management link), "site.KEY"; `links`: check -> {key: "measured.X"}; other text as it is.
// `time` is UTC, "2026-11-30T06:15:00".
json topology_record(const Topology& topology, const json& table, const std::string& time, const std::string& note);

std::string topology_text(const Topology& topology, const TextStyle& style);

}  // namespace diag::report
