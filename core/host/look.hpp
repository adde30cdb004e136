// What all plugins see on a machine, joined: `diag look`, and the start of a site file.
#pragma once

#include <string>
#include <vector>

#include "host/peers.hpp"
#include "host/worker_client.hpp"

namespace diag::host {

struct Property {
    std::string name, text;
    json value;
    std::string site_key = {}, site_value = {};  // as in a site file: "link.speed", "200Gbit"; a value "": not known
};

// One thing, with what every plugin said of it.
struct Thing {
    std::string kind, name;
    std::vector<Property> properties;
    const Property* property(std::string_view property_name) const;
};

struct LooksWrong {
    std::string plugin, cause, mover, meaning, reason, next;
};

// A plugin that offers a look and could not.
struct Blind {
    std::string plugin, cause, reason, next;
};

struct Seen {
    std::vector<Thing> things;  // kinds and names in the order of their first mention
    std::vector<LooksWrong> wrong;
    std::vector<Blind> blind;
    std::vector<const Thing*> of_kind(std::string_view kind) const;
};

// Asks every plugin that offers a look, in the order of the catalogue.  Of `params` each look gets those that it declares.
Seen look(WorkerClient& worker, const Catalogue& catalogue, const RunOptions& options, const json& params = json::object());

// The same on a peer, of the plugins that are here.  Throws NoWorker where that machine's worker cannot be had.
Seen look_there(Peers& peers, const std::string& machine, const Catalogue& here, const RunOptions& options,
                const json& params = json::object());

// Takes one plugin's answer into `seen`.
void add_look(const PluginInfo& plugin, const Result& result, Seen& seen);

}  // namespace diag::host
