// How link.pair finds out which of the far machine's interfaces hear this end: both halves of it.  What that comes to, judge_wiring() says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <diag/context.hpp>

#include "pair_judge.hpp"

namespace diag::link {

struct WiringProof {
    std::optional<std::vector<Heard>> heard;  // nothing where nobody could be asked
    std::string words;                        // how it was asked, and why not better
};

// The half here: by Ethernet frames with a word in them; where packet sockets may not be opened, or no frame arrives, by whose MAC this
// end has for `peer_address`.  Throws CompanionGone, and Unreadable where the other half's answer is none.
WiringProof prove_wiring(Context& c, const EndState& here, const EndState& there);

// The half there: listens, or tells whose a MAC is; whether the question was one of these.
bool answer_wiring(Context& c, const json& question);

}  // namespace diag::link
