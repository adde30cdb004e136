#include "pair_state.hpp"

#include <diag/verdict.hpp>

#include "machine.hpp"
#include "speed.hpp"

namespace diag::link {
namespace {

template <class T>
json told_json(const Told<T>& told) {
    return {{"value", told.value ? json(*told.value) : json()}, {"none", told.none}, {"why", told.why}};
}

json told_json(const Told<Rate>& told) {
    return {{"value", told.value ? json(told.value->bits_per_second) : json()}, {"none", told.none}, {"why", told.why}};
}

template <class T>
Told<T> told_from(const json& document) {
    Told<T> told{.none = document.at("none"), .why = document.at("why")};
    if (const json& value = document.at("value"); !value.is_null()) {
        if constexpr (std::is_same_v<T, Rate>)
            told.value = Rate{value.get<std::int64_t>()};
        else
            told.value = value.get<T>();
    }
    return told;
}

// A virtual interface's speed is an invention; hardware without one should know it.
Told<Rate> speed_told(const Machine& machine, const Seen& seen, const std::filesystem::path& root) {
    const LinkSpeed speed = speed_of(machine, seen, root);
    return {.value = speed.rate, .none = !speed.rate && !speed.should_know, .why = speed.rate ? "" : speed.words};
}

void see_settings(EndState& end, const Seen& seen, const std::filesystem::path& root) {
    const bool invented = !seen.hardware() && seen.interface.kind != "bond";
    const auto settings = probe::link_settings(root, seen.interface.name);
    const bool none = invented || settings.state == probe::LinkSettings::State::unsupported;
    const std::string why =
        invented ? fmt::format("a {} interface has none of its own", seen.interface.loopback ? "loopback" : seen.interface.kind)
                 : settings.why;
    end.autonegotiation = {.none = none, .why = why};
    if (!invented) end.autonegotiation.value = settings.autonegotiation;
    std::string duplex = settings.duplex.empty() && seen.port ? seen.port->duplex : settings.duplex;
    end.duplex = {.none = none && duplex.empty(), .why = why};
    if (!invented && (duplex == "full" || duplex == "half")) end.duplex.value = std::move(duplex);
    const probe::Fec fec = probe::fec(root, seen.interface.name);
    end.fec = fec.mode;
    end.fec_why = fec.why;
}

EndState::Presence presence_of(const std::string& word) {
    if (word == "here") return EndState::Presence::here;
    if (word == "absent") return EndState::Presence::absent;
    if (word == "unreadable") return EndState::Presence::unreadable;
    throw Unreadable("a far end's state says '" + word + "'");
}

std::string word_of(EndState::Presence presence) {
    return presence == EndState::Presence::here ? "here" : presence == EndState::Presence::absent ? "absent" : "unreadable";
}

probe::FecMode fec_named(const std::string& word) {
    for (const auto mode : {probe::FecMode::unsupported, probe::FecMode::off, probe::FecMode::rs, probe::FecMode::baser,
                            probe::FecMode::llrs, probe::FecMode::automatic})
        if (word == to_text(mode)) return mode;
    return probe::FecMode::unreadable;
}

}  // namespace

EndState see_end(const std::filesystem::path& root, const std::string& machine, const std::string& interface) {
    EndState end{.machine = machine, .interface = interface};
    try {
        const auto world = system_world(root);
        const Machine all(*world);
        const Seen& seen = all.find(interface);
        end.interface = seen.interface.name;
        end.kind = seen.interface.kind;
        end.mac = seen.interface.mac;
        end.up = seen.interface.up;
        end.carrier = seen.interface.carrier;
        end.mtu.value = seen.interface.mtu;
        end.speed = speed_told(all, seen, root);
        see_settings(end, seen, root);
    } catch (const Absent& e) {
        end.presence = EndState::Presence::absent;
        end.why = e.what();
    } catch (const Unreadable& e) {
        end.presence = EndState::Presence::unreadable;
        end.why = e.what();
    }
    return end;
}

json to_json(const EndState& end) {
    return {{"machine", end.machine},
            {"interface", end.interface},
            {"presence", word_of(end.presence)},
            {"why", end.why},
            {"kind", end.kind},
            {"mac", end.mac},
            {"up", end.up},
            {"carrier", end.carrier},
            {"speed", told_json(end.speed)},
            {"duplex", told_json(end.duplex)},
            {"autonegotiation", told_json(end.autonegotiation)},
            {"mtu", told_json(end.mtu)},
            {"fec", to_text(end.fec)},
            {"fec_why", end.fec_why}};
}

EndState end_from(const json& document) {
    try {
        return {.machine = document.at("machine"),
                .interface = document.at("interface"),
                .presence = presence_of(document.at("presence")),
                .why = document.at("why"),
                .kind = document.at("kind"),
                .mac = document.at("mac"),
                .up = document.at("up"),
                .carrier = document.at("carrier"),
                .speed = told_from<Rate>(document.at("speed")),
                .duplex = told_from<std::string>(document.at("duplex")),
                .autonegotiation = told_from<bool>(document.at("autonegotiation")),
                .mtu = told_from<std::int64_t>(document.at("mtu")),
                .fec = fec_named(document.at("fec")),
                .fec_why = document.at("fec_why")};
    } catch (const json::exception& e) {
        throw Unreadable(fmt::format("a far end's state is malformed: {}", e.what()));
    }
}

}  // namespace diag::link
