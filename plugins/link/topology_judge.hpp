// The judgement of link.topology over a World: how the interface is joined to others, by bridges, cables, profiles and addresses, as far
// as one machine can see it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "finding.hpp"
#include "machine.hpp"
#include "world.hpp"

namespace diag::link {

struct TopologyQuestion {
    std::string interface;
    std::optional<std::string> address{}, peer{};  // this machine's own on the link, and the far end's
    std::vector<std::string> links{};              // more interfaces that are links, beside all adapters
};

// Throws diag::Absent where there is no such interface, diag::BadValue where an address is none.
Finding judge_topology(const TopologyQuestion& question, World& world);

// What is wrong with a bridge that has two links in it, or nothing.  `links` as above; `kept`: the one that is to stay in the bridge.
std::optional<Verdict> joined_links(const Machine& machine, const Seen& bridge, const std::vector<std::string>& links,
                                    const std::filesystem::path& root, const std::string& kept = "");

// MACs of virtual routers, which move from machine to machine on purpose: VRRP (RFC 9568 7.3) and HSRP (RFC 2281 and version 2).
bool virtual_router(const std::string& mac);

}  // namespace diag::link
