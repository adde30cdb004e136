// Packets of many sizes and what came back: the network as the search sees it.
// echo_prober.hpp is the real one; twin.hpp is the one in memory that tests use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mtu {

// One packet that must not be fragmented.
struct Probe {
    std::int64_t bytes = 0;  // the whole IP packet
    int hop_limit = 0;       // TTL; 0: far enough
};

enum class Kind {
    lost,     // nothing came back in time
    reply,    // the destination answered
    too_big,  // a router said that its next link is smaller
    expired,  // a router answered the hop limit
    refused,  // another ICMP error
    local,    // this machine would not send it
};

struct Outcome {
    Probe probe;
    Kind kind = Kind::lost;
    double milliseconds = 0;    // round trip; of `reply`, `too_big`, `expired` and `refused`
    std::string sender;         // who answered
    std::int64_t said = 0;      // MTU that `too_big` names, bytes; 0: it names none
    std::int64_t fragment = 0;  // largest fragment of a reply that came back in pieces, IP bytes; 0: whole
    int type = 0, code = 0;     // of `refused`
    int error = 0;              // errno of `local`
    bool late = false;          // the answer to a probe that an earlier volley gave up as lost
};

class Prober {
  public:
    virtual ~Prober() = default;
    // Sends all probes at once and waits for what comes back: one outcome for each, and late ones behind them.
    virtual std::vector<Outcome> volley(const std::vector<Probe>& probes) = 0;
    // Waits until a host that limits its answers to one a second gives one more.
    virtual void rest() = 0;
};

}  // namespace mtu
