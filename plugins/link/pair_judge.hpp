// The judgement of link.pair: what both ends of a link say of themselves, against each other and the site file's plan, and whether
// the wiring is the site file's.  Pure: no network, no program.  Not for one end alone: link.state judges that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "finding.hpp"
#include "pair_state.hpp"

namespace diag::link {

// What the site file gives for both ends; it tells which of two different ends has to move.
struct PairPlan {
    std::optional<Rate> speed;  // at least
    std::optional<std::string> duplex;
    std::optional<std::int64_t> mtu;
    std::optional<bool> autonegotiation;
    std::optional<probe::FecMode> fec;
};

// An interface of the far machine that was heard on this end's interface.  `interface`: "" where only the MAC is known.
struct Heard {
    std::string interface, mac;
};

enum class Wiring { match, elsewhere, unknown };
struct WiringAnswer {
    Wiring wiring = Wiring::unknown;
    std::string found;  // the far machine's interfaces that really answered, where they are others than planned
    std::string words;  // for the report
};

// `heard`: nothing where nobody listened or asked.
WiringAnswer judge_wiring(const EndState& here, const EndState& there, const std::optional<std::vector<Heard>>& heard);

struct PairQuestion {
    EndState here, there;
    PairPlan plan = {};
    std::optional<std::vector<Heard>> heard = std::nullopt;
};

// Throws diag::Unknown where an end could not be read at all: then nothing was compared.
Finding judge_pair(const PairQuestion& question);

}  // namespace diag::link
