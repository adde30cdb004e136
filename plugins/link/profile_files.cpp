#include "profile_files.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <utility>

namespace diag::link {
namespace {

using Words = std::vector<std::string>;

std::string stripped(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::string small(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

Words split(const std::string& text, const std::string& separators) {
    Words words;
    std::string word;
    for (const char c : text + separators[0]) {
        if (separators.find(c) == std::string::npos) {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::exchange(word, ""));
        }
    }
    return words;
}

Words lower_all(Words words) {
    for (auto& word : words) word = small(word);
    return words;
}

void add(Words& to, const Words& more) { to.insert(to.end(), more.begin(), more.end()); }

// "[section]" and "key=value"; a key that comes again adds a word, as systemd reads lists.
using Ini = std::map<std::string, std::map<std::string, std::string>>;

Ini ini(const std::string& text) {
    Ini found;
    std::string section;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        line = stripped(line);
        if (line.empty() || line[0] == '#' || line[0] == ';') continue;
        if (line.front() == '[' && line.back() == ']') {
            section = line.substr(1, line.size() - 2);
            found[section];
        } else if (const auto equals = line.find('='); equals != std::string::npos) {
            std::string& value = found[section][stripped(line.substr(0, equals))];
            value += (value.empty() ? "" : " ") + stripped(line.substr(equals + 1));
        }
    }
    return found;
}

std::string get(const Ini& from, const std::string& section, const std::string& key) {
    const auto found = from.find(section);
    if (found == from.end()) return "";
    const auto value = found->second.find(key);
    return value == found->second.end() ? "" : value->second;
}

bool is_no(const std::string& word) { return word == "false" || word == "no" || word == "0" || word == "off"; }

}  // namespace

std::vector<Profile> keyfile_profiles(const std::string& text, const std::string& file) {
    const Ini all = ini(text);
    const std::string type = get(all, "connection", "type");
    if (type != "ethernet" && type != "802-3-ethernet") return {};
    // What NetworkManager makes of itself for a port that nobody configured is no plan.
    if (is_no(get(all, "connection", "autoconnect")) || get(all, ".nmmeta", "nm-generated") == "true") return {};
    Profile profile{"NetworkManager", get(all, "connection", "id"), file, {}, {}, false};
    if (const std::string name = get(all, "connection", "interface-name"); !name.empty()) profile.interfaces = {name};
    add(profile.interfaces, split(get(all, "match", "interface-name"), ";"));
    for (const char* section : {"ethernet", "802-3-ethernet"}) add(profile.macs, lower_all(split(get(all, section, "mac-address"), " ;")));
    profile.anything = profile.interfaces.empty() && profile.macs.empty();
    return {profile};
}

std::vector<Profile> network_profiles(const std::string& text, const std::string& file) {
    const Ini all = ini(text);
    const Words types = split(get(all, "Match", "Type"), " ");
    const bool wired = types.empty() || matches(types, "ether");
    const std::string unmanaged = get(all, "Link", "Unmanaged");
    if (!wired || (!unmanaged.empty() && !is_no(unmanaged))) return {};
    Profile profile{"networkd", std::filesystem::path(file).filename(), file, split(get(all, "Match", "Name"), " "), {}, false};
    for (const char* key : {"MACAddress", "PermanentMACAddress"}) add(profile.macs, lower_all(split(get(all, "Match", key), " ")));
    profile.anything = profile.interfaces.empty() && profile.macs.empty() && all.contains("Match");
    return {profile};
}

std::vector<Profile> ifupdown_profiles(const std::string& text, const std::string& file) {
    std::vector<Profile> found;
    Words started;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const Words words = split(line, " \t\r");
        if (words.size() < 2 || words[0][0] == '#') continue;
        if (words[0] == "auto" || words[0].starts_with("allow-")) add(started, {words.begin() + 1, words.end()});
        if (words[0] == "iface" && words[1] != "lo") found.push_back({"ifupdown", words[1], file, {words[1]}, {}, false});
    }
    const auto waits = [&](const Profile& profile) { return std::find(started.begin(), started.end(), profile.name) == started.end(); };
    found.erase(std::remove_if(found.begin(), found.end(), waits), found.end());
    return found;
}

}  // namespace diag::link
