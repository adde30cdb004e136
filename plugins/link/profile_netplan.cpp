#include <algorithm>
#include <cctype>

#include <yaml-cpp/yaml.h>

#include "profile_files.hpp"

namespace diag::link {
namespace {

std::vector<std::string> yaml_words(const YAML::Node& node) {
    if (!node.IsDefined() || node.IsNull()) return {};
    if (node.IsScalar()) return {node.Scalar()};
    std::vector<std::string> words;
    if (node.IsSequence())
        for (const auto& each : node)
            if (each.IsScalar()) words.push_back(each.Scalar());
    return words;
}

Profile netplan_profile(const std::string& name, const YAML::Node& body, const std::string& file) {
    Profile profile{"netplan", name, file, {}, {}, false};
    const YAML::Node match = body.IsMap() ? body["match"] : YAML::Node(YAML::NodeType::Undefined);
    if (!match.IsDefined() || !match.IsMap()) {
        profile.interfaces = {name};
        return profile;
    }
    profile.interfaces = yaml_words(match["name"]);
    profile.macs = yaml_words(match["macaddress"]);
    for (auto& mac : profile.macs)
        std::transform(mac.begin(), mac.end(), mac.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const auto& final_name : yaml_words(body["set-name"])) profile.interfaces.push_back(final_name);
    profile.anything = profile.interfaces.empty() && profile.macs.empty();  // by its driver, or every one
    return profile;
}

}  // namespace

std::vector<Profile> netplan_profiles(const std::string& text, const std::string& file) {
    std::vector<Profile> found;
    const YAML::Node document = YAML::Load(text);
    if (!document.IsMap() || !document["network"].IsMap()) return found;
    const YAML::Node all = document["network"]["ethernets"];
    if (!all.IsDefined() || !all.IsMap()) return found;
    for (const auto& each : all) {
        if (!each.first.IsScalar()) continue;
        const YAML::Node mode = each.second.IsMap() ? each.second["activation-mode"] : YAML::Node(YAML::NodeType::Undefined);
        if (mode.IsDefined() && mode.IsScalar() && (mode.Scalar() == "off" || mode.Scalar() == "manual")) continue;
        found.push_back(netplan_profile(each.first.Scalar(), each.second, file));
    }
    return found;
}

}  // namespace diag::link
