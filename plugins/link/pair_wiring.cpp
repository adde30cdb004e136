// judge_wiring(): do the ends that the site file joins hear each other?
#include <algorithm>

#include "machine.hpp"
#include "pair_judge.hpp"

namespace diag::link {
namespace {

// A bond, a bridge or a VLAN answers with the MAC of what it stands on: then the MAC tells, and not the name.
bool is_planned(const Heard& one, const EndState& there) {
    return one.interface == there.interface || (!one.mac.empty() && one.mac == there.mac);
}

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

WiringAnswer judge_wiring(const EndState& here, const EndState& there, const std::optional<std::vector<Heard>>& heard) {
    const std::string at = fmt::format("on {} {}", here.machine, here.interface);
    if (!heard) return {Wiring::unknown, "", "the wiring is not proved: nobody listened"};
    std::vector<std::string> others, strangers;
    bool planned = false;
    for (const auto& one : *heard) {
        if (is_planned(one, there))
            planned = true;
        else if (!one.interface.empty())
            add_once(others, one.interface);
        else if (!one.mac.empty())
            add_once(strangers, one.mac);
    }
    if (planned && others.empty()) return {Wiring::match, "", fmt::format("{} {} answers {}", there.machine, there.interface, at)};
    if (planned)
        return {Wiring::match, "",
                fmt::format("{} {} answers {}, and so does {}: they share a switch or a bridge", there.machine, there.interface, at,
                            listed(others))};
    if (!others.empty())
        return {Wiring::elsewhere, listed(others),
                fmt::format("{} of {} answers {}, and {} does not{}", listed(others), there.machine, at, there.interface,
                            there.carrier ? "" : ": it has no carrier")};
    if (!strangers.empty())
        return {Wiring::unknown, "",
                fmt::format("the wiring is not proved: {} is heard {}, which is no interface of {}", listed(strangers), at, there.machine)};
    return {Wiring::unknown, "", fmt::format("the wiring is not proved: nothing of {} is heard {}", there.machine, at)};
}

}  // namespace diag::link
