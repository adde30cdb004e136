#include "probe/resolve_config.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <strings.h>

namespace diag::probe {

namespace {

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

// `each(number, line, words)` for every line that has words before a comment sign.
template <class Each>
void for_lines(std::string_view text, std::string_view comment_signs, Each each) {
    std::istringstream stream{std::string(text)};
    unsigned number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        const auto words = words_of(line.substr(0, line.find_first_of(comment_signs)));
        if (!words.empty()) each(number, line, words);
    }
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

void read_options(const std::vector<std::string>& words, ResolverConfig& config) {
    for (const auto& word : words)
        if (word.starts_with("ndots:")) std::from_chars(word.data() + 6, word.data() + word.size(), config.ndots);
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
    if (a.ends_with('.')) a.remove_suffix(1);
    if (b.ends_with('.')) b.remove_suffix(1);
    return equal_ignoring_case(a, b);
}

bool HostsLine::has(std::string_view name) const {
    return std::any_of(names.begin(), names.end(), [&](const std::string& known) { return same_name(known, name); });
}

std::vector<HostsLine> hosts_lines(std::string_view hosts) {
    std::vector<HostsLine> lines;
    for_lines(hosts, "#", [&](unsigned number, const std::string& line, const std::vector<std::string>& words) {
        if (words.size() > 1) lines.push_back({number, line, words[0], {words.begin() + 1, words.end()}});
    });
    return lines;
}

// The action in force for "not found" is the last one named; without one it is `continue` (nsswitch.conf(5)).
bool HostsService::not_found_ends() const {
    std::string text = action;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '[' || c == ']'; }, ' ');
    bool ends = false;
    for (const auto& word : words_of(text)) {
        const auto equals = word.find('=');
        if (equals == std::string::npos) continue;
        const std::string_view status = std::string_view(word).substr(0, equals), what = std::string_view(word).substr(equals + 1);
        const bool negated = status.starts_with('!');
        const bool is_not_found = equal_ignoring_case(status.substr(negated ? 1 : 0), "notfound");
        if (is_not_found != negated) ends = equal_ignoring_case(what, "return");
    }
    return ends;
}

std::vector<HostsService> hosts_services(std::string_view nsswitch) {
    std::vector<HostsService> services;
    for_lines(nsswitch, "#", [&](unsigned, const std::string& line, const std::vector<std::string>& words) {
        if (!words[0].starts_with("hosts:") || !services.empty()) return;
        std::string rest = line.substr(line.find(':') + 1);
        rest = rest.substr(0, rest.find('#'));
        bool in_action = false;
        for (const auto& word : words_of(rest)) {
            in_action = in_action || word.starts_with('[');
            if (in_action && !services.empty()) services.back().action += (services.back().action.empty() ? "" : " ") + word;
            if (!in_action) services.push_back({word, ""});
            if (word.ends_with(']')) in_action = false;
        }
    });
    return services;
}

ResolverConfig resolver_config(std::string_view resolv_conf) {
    ResolverConfig config;
    for_lines(resolv_conf, "#;", [&](unsigned, const std::string&, const std::vector<std::string>& words) {
        if (words[0] == "nameserver" && words.size() > 1) {
            if (const auto server = Address::parse(words[1])) config.servers.push_back(*server);
        }
        if (words[0] == "search" || words[0] == "domain") config.search.assign(words.begin() + 1, words.end());
        if (words[0] == "options") read_options(words, config);
    });
    return config;
}

}  // namespace diag::probe
