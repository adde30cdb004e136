// From what was measured to a verdict.  Pure: no network, no program.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <diag/verdict.hpp>

#include "bulk_carrier.hpp"
#include "bulk_floor.hpp"
#include "bulk_run.hpp"
#include "probe/netlink.hpp"

namespace diag::bulk {

struct Findings {
    std::string peer;  // as a person knows it: "node-b-direct (10.10.10.12)"
    std::string name, address, source, interface;
    std::int64_t port = 5201, streams = 4;
    bool served_by_half = false;  // the other half started the server: its port is another one every time
    unsigned processors = 1;      // of this machine
    std::string version_there;    // of the iperf3 that serves; "" where it is not told
    std::set<unsigned> own;       // indexes of the interface that is meant, and of what it stands on or is part of
    std::optional<Floor> floor;
    std::optional<Rate> rated;         // what the link should have negotiated, else what the port did; nothing where neither is known
    double max_retransmits = 0.01;     // share of the segments
    std::vector<CarrierLoss> lost;     // of either end's interface, during the load
    std::vector<Flow> flows;           // there, then back; the second is missing where the first failed
    Echoes idle;                       // before the load
    std::string no_echo;               // why none can be sent
    std::optional<double> idle_there;  // processors of the far machine that had nothing to do during the load
};

// The meant interface's own index, and those of everything that carries the same bytes: what it stands on (VLAN), the
// bridge or bond that it is part of, the members that it has.
std::set<unsigned> same_bytes(const probe::Interface& meant, const std::vector<probe::Interface>& all);

// What stopped this flow from being a measurement of the link, or nothing.
std::optional<Verdict> trouble(const Findings& findings, const Flow& flow);

// Who had no processor time left while it ran, in words; empty where that cannot be said.
std::string starved(const Findings& findings, const Flow& flow);

// Where an iperf3 with one thread for all streams had no processor time left and its machine had: what was measured is that thread, and
// not the link.  In words, with the next step; else empty.  `needed`: bit/s; what any core can do is not limited by there being one.
std::string one_thread(const Findings& findings, const Flow& flow, double needed);

// Throws diag::Unknown where there is no answer: too slow, and by one_thread().
Verdict decide(const Findings& findings);

// "there 3.83 Gbit/s, back 3.82 Gbit/s; round trip 0.05 ms idle, 0.8 ms under load"
std::string summary(const Findings& findings);

}  // namespace diag::bulk
