// The causes that several checks can name, declared once: what became of a name before any packet was sent, what this
// machine itself does to probes, and what is wrong with those that were answered.
#pragma once

#include <optional>
#include <string>

#include <diag/plugin.hpp>

#include "sources.hpp"

namespace diag::names {

void declare_resolver_causes(Check& check);
void declare_local_causes(Check& check);   // names.blocked-here, names.no-route, names.send-failed
void declare_answer_causes(Check& check);  // names.loss, names.duplicates

// One of several addresses that no route leads to, in a family that this machine uses: names.unroutable.
std::optional<Verdict> unroutable(World& world, const std::string& name, const probe::Address& address);

// The link that an address means which does not say itself: that of the interface asked about, where there is one; else 0.
unsigned scope_of(World& world, const std::optional<std::string>& interface, const probe::Address& address);
// names.link-local, where it is not known on which link an address is.
std::optional<Verdict> unscoped(const probe::Address& address);

// Why a name has no address: names.unknown, names.mdns-shadowed, names.dns-hidden or names.resolver-failed.
// Nothing where it has one.
std::optional<Verdict> unresolved(World& world, const Sources& sources, const std::string& name, const probe::Resolution& resolution);

// Whether the errno of sendto() is the route's answer: fib_props[] in net/ipv4/fib_semantics.c.
bool routing_error(int error);

}  // namespace diag::names
