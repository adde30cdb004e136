// Every probe that was sent and what became of it, by size: all that the search and the verdict know.
// A reply proves that its size passes; silence proves nothing until it repeats, and nothing at all where no probe that was
// sent behind it in the same volley was answered: then a limit on echo may have been used up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "prober.hpp"

namespace mtu {

struct Tally {
    int sent = 0, replied = 0, refused = 0;  // refused: somebody said no, here or on the way
    int unheard = 0;                         // sent as well, and not counted there: lost with all that was sent behind it
    int lost() const { return sent - replied - refused; }
    double loss() const { return sent == 0 ? 0 : static_cast<double>(lost()) / sent; }  // share
};

// A router that refused a size.
struct Router {
    std::string address;
    std::int64_t said = 0;  // MTU in bytes, 0: it named none
};

class Ledger {
  public:
    void add(const std::vector<Outcome>& outcomes);
    // Whether so much is lost at the ends of volleys that the far end seems to limit how often it answers.
    bool limited() const;
    // What was sent so far counts no longer; all() and text() keep it.
    void forget_sizes() { sizes_.clear(); }

    // Probes with a hop limit are kept in all(), and counted nowhere else.
    Tally of(std::int64_t bytes) const;
    Tally up_to(std::int64_t bytes) const;        // all sizes from 0 to `bytes` together; `unheard` counts as lost unless limited()
    double unanswered(std::int64_t bytes) const;  // share of all sizes up to `bytes`, limited() or not
    std::int64_t largest_reply() const;           // bytes; 0: nothing was answered
    std::int64_t largest_whole_reply() const;     // that came back in one piece, bytes; 0: none
    std::int64_t smallest_silent_above(std::int64_t bytes) const;    // lost or refused, and never answered; 0: none
    double round_trip(std::int64_t bytes) const;                     // ms, the shortest of that size; 0: not answered
    std::int64_t fragment_at(std::int64_t bytes) const;              // largest fragment of replies of that size; 0: whole
    const std::vector<Router>& routers() const { return routers_; }  // each once, first to speak first
    std::optional<Outcome> refusal() const;                          // the first `refused` or `local`
    const std::vector<Outcome>& all() const { return all_; }

    // One line a probe, for people: the evidence.
    std::string text() const;

  private:
    void count(const Outcome& outcome, bool heard);
    Tally sum_to(std::int64_t bytes) const;

    std::map<std::int64_t, Tally> sizes_;
    std::vector<Router> routers_;
    std::vector<Outcome> all_;
};

}  // namespace mtu
