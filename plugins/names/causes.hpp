// The causes that both checks can name, declared once: what became of a name before any packet was sent.
#pragma once

#include <optional>
#include <string>

#include <diag/plugin.hpp>

#include "sources.hpp"

namespace diag::names {

void declare_resolver_causes(Check& check);

// One of several addresses that no route leads to, in a family that this machine uses: names.unroutable.
std::optional<Verdict> unroutable(World& world, const std::string& name, const probe::Address& address);

// Why a name has no address: names.unknown, names.mdns-shadowed, names.dns-hidden or names.resolver-failed.
// Nothing where it has one.
std::optional<Verdict> unresolved(World& world, const Sources& sources, const std::string& name, const probe::Resolution& resolution);

}  // namespace diag::names
