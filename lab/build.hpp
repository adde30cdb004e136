// The steps that make a lab out of nothing, and take it back to new.
#pragma once

#include <vector>

#include "lab/step.hpp"
#include "lab/topology.hpp"

namespace diag::lab {

// Namespaces and their settings, without any interface.
std::vector<Step> namespace_steps(const Topology& lab);

// A namespace's kernel settings; the same on every machine, whatever the machine's own are.
std::vector<Step> node_settings(const std::string& node);
std::vector<Step> router_settings();

// Switch, cables, shaping and addresses of one path.  Its interfaces must not exist.
std::vector<Step> wire_steps(const Wire& wire);

// The rate limit of an interface: tbf.
Step shape(const std::string& part, const std::string& interface, int gbit);

// Takes away whatever a fault, or an interrupted command, left: wires, rules, routes, the router.  Then lays it all anew,
// in the same namespaces, so that shells inside live on.  Throws as apply() does.
void renew(const Topology& lab);

}  // namespace diag::lab
