// From what was found on a path to the verdict: which device is smaller, and who has to move.
// Pure: no probe is sent here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <diag/declare.hpp>
#include <diag/verdict.hpp>

#include "hops.hpp"
#include "ledger.hpp"
#include "search.hpp"

namespace mtu {

// What a TCP handshake told about the far interface.
struct FarEnd {
    unsigned port = 0;
    std::int64_t mtu = 0;  // bytes
    bool exact = true;     // false: at least that
};

// Probes of the intended size that were sent one at a time, with a rest before each.
struct Slowly {
    int sent = 0, replied = 0;
};

struct Findings {
    std::string name, address, source, interface;  // asked for, probed, our own, the interface it leaves by
    bool v6 = false;
    std::int64_t intended = 0;               // bytes
    std::optional<std::string> gateway;      // nothing: the destination is on the link
    std::optional<std::int64_t> route_mtu;   // the route's own MTU, bytes
    std::optional<std::int64_t> ipv6_mtu;    // what IPv6 makes of the interface's MTU, bytes; nothing for IPv4
    std::optional<std::int64_t> cached_mtu;  // a path MTU the kernel remembers and the probes ignore, bytes
    Found found = Found::no_answer;
    Ledger ledger;
    double max_loss = 0;                  // share of the probes
    std::optional<Slowly> slowly;         // asked where volleys lose much: a limit on echo, or loss?
    bool small_arrives = false;           // a small UDP packet was answered
    std::optional<bool> forward_carries;  // the intended size arrives, judged by small answers to UDP; nothing: not known
    std::optional<FarEnd> far_end;
    std::optional<Trace> trace;
};

// Each of the slow probes was answered: what volleys lose is a limit's doing.
bool volleys_limited(const Findings& findings);

diag::Verdict decide(const Findings& findings);

// One sentence on what the probes showed.
std::string summary(const Findings& findings);

// The causes that decide() names.
void declare_path_causes(diag::Check& check);

}  // namespace mtu
