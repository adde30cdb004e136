// ethtool(8)'s output as a captured tree holds it.  Its words changed over time: only the few that are needed are read.
#include <algorithm>
#include <cctype>
#include <sstream>

#include <diag/units.hpp>

#include "probe/ethtool.hpp"

namespace diag::probe {
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

std::string trimmed_lower(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? "" : lower(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

// What stands behind one of these words and a colon, in lower case; nothing where no line has it.  The whole word: "Advertised
// auto-negotiation" is another thing than "Auto-negotiation".
std::optional<std::string> value_of(std::string_view output, const std::vector<std::string_view>& words) {
    std::istringstream lines{std::string(output)};
    for (std::string line; std::getline(lines, line);) {
        const auto colon = line.find(':');
        if (colon == std::string::npos) continue;
        if (std::find(words.begin(), words.end(), trimmed_lower(line.substr(0, colon))) != words.end())
            return trimmed_lower(std::string_view(line).substr(colon + 1));
    }
    return std::nullopt;
}

bool refused(std::string_view output) { return lower(output).find("not supported") != std::string::npos; }

FecMode mode_named(const std::string& word) {
    for (const auto mode : {FecMode::off, FecMode::rs, FecMode::baser, FecMode::llrs, FecMode::automatic})
        if (word == to_text(mode)) return mode;
    return FecMode::unreadable;
}

}  // namespace

Fec parse_fec(std::string_view output) {
    Fec found;
    const auto active = value_of(output, {"active fec encoding", "active fec encodings"}),
               configured = value_of(output, {"configured fec encodings", "supported/configured fec encodings"});
    if (!active && !configured) {
        found.mode = refused(output) ? FecMode::unsupported : FecMode::unreadable;
        found.why = refused(output) ? "the driver has no FEC settings" : "ethtool said nothing of FEC";
        return found;
    }
    std::istringstream words(configured.value_or(""));
    for (std::string word; words >> word;)
        if (word != "none") found.configured.push_back(word);
    std::string first;
    std::istringstream(active.value_or("")) >> first;
    found.mode = mode_named(first);
    if (found.mode == FecMode::unreadable && found.configured.empty())
        found.mode = FecMode::unsupported;
    else if (found.mode == FecMode::unreadable && found.configured.size() == 1)
        found.mode = mode_named(found.configured[0]);
    if (found.mode == FecMode::unreadable) found.why = "no mode is active";
    if (found.mode == FecMode::unsupported) found.why = "the driver has no FEC settings";
    return found;
}

LinkSettings parse_link_settings(std::string_view output) {
    LinkSettings found;
    const auto autoneg = value_of(output, {"auto-negotiation"}), speed = value_of(output, {"speed"}), duplex = value_of(output, {"duplex"});
    if (!autoneg && !speed && !duplex) {
        found.state = refused(output) ? LinkSettings::State::unsupported : LinkSettings::State::unreadable;
        found.why = refused(output) ? "the driver has no link settings" : "ethtool said nothing of the link's settings";
        return found;
    }
    found.state = LinkSettings::State::told;
    if (autoneg == "on" || autoneg == "off") found.autonegotiation = autoneg == "on";
    if (duplex == "full" || duplex == "half") found.duplex = *duplex;
    found.speed.unknown = "ethtool tells no speed";
    if (speed && speed->find("mb/s") != std::string::npos) {
        try {
            found.speed = {Rate{units::parse_integer(speed->substr(0, speed->find("mb/s"))) * 1'000'000}, ""};
        } catch (const BadValue&) {
            found.speed.unknown = "ethtool says " + *speed;
        }
    }
    return found;
}

}  // namespace diag::probe
