#include "cli/machine_look.hpp"

#include "cli/first_site.hpp"
#include "runbook/site.hpp"

namespace diag::cli {
namespace {

std::string text_of(const host::Thing& thing, const char* name) {
    const auto* property = thing.property(name);
    return property == nullptr ? "" : property->text;
}

bool flag_of(const host::Thing& thing, const char* name) {
    const auto* property = thing.property(name);
    return property != nullptr && property->value == true;
}

// It comes from other machines: whatever is no text is not taken.
std::vector<std::string> list_of(const host::Thing& thing, const char* name) {
    std::vector<std::string> texts;
    if (const auto* property = thing.property(name); property != nullptr && property->value.is_array())
        for (const auto& entry : property->value)
            if (entry.is_string()) texts.push_back(entry);
    return texts;
}

}  // namespace

std::vector<Endpoint> endpoints_of(const MachineLook& machine) {
    std::vector<Endpoint> found;
    for (const auto* thing : machine.alone.of_kind("endpoint")) {
        Endpoint one{text_of(*thing, "interface"), text_of(*thing, "address"), text_of(*thing, "network"),
                     text_of(*thing, "identity"),  flag_of(*thing, "login"),   flag_of(*thing, "gateway")};
        if (!one.interface.empty() && runbook::is_address(one.address) && !one.network.empty() && !one.identity.empty())
            found.push_back(std::move(one));
    }
    return found;
}

std::vector<HeardAt> heard_by(const MachineLook& machine) {
    std::vector<HeardAt> found;
    for (const auto* thing : machine.met.of_kind("heard"))
        found.push_back({text_of(*thing, "interface"), text_of(*thing, "address"), list_of(*thing, "identities")});
    return found;
}

std::vector<KnownAs> names_at(const MachineLook& machine) {
    std::vector<KnownAs> found;
    for (const auto* thing : machine.met.of_kind("known"))
        found.push_back({thing->name, text_of(*thing, "name"), list_of(*thing, "addresses")});
    return found;
}

std::vector<std::string> unfit_at(const MachineLook& machine) {
    std::vector<std::string> found;
    for (const auto* thing : machine.alone.of_kind("unfit")) found.push_back(thing->name + ": " + text_of(*thing, "why"));
    return found;
}

std::string host_name_of(const MachineLook& machine) {
    for (const auto* thing : machine.alone.of_kind("machine"))
        for (const auto& [key, value] : marked(*thing, "machine"))
            if (key == "name") return value.words.front();
    return "";
}

}  // namespace diag::cli
