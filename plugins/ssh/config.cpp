#include "config.hpp"

#include <algorithm>
#include <sstream>

#include "trace.hpp"

namespace diag::ssh {
namespace {

struct Rule {
    const char *keyword, *shown, *value;  // value "*": any but none
    Outcome outcome;
    const char* effect;
};

// ssh_config(5).  `ssh -G` writes yes and no of the older keywords as true and false.
const Rule rules[] = {
    {"remotecommand", "RemoteCommand", "*", Outcome::fail, "`ssh HOST COMMAND` ends with 'Cannot execute command-line and remote command'"},
    {"sessiontype", "SessionType", "none", Outcome::fail, "a command is never run"},
    {"sessiontype", "SessionType", "subsystem", Outcome::fail, "a command is taken for the name of a subsystem"},
    {"forkafterauthentication", "ForkAfterAuthentication", "yes", Outcome::fail,
     "ssh ends before the command does, and its status is lost"},
    {"stdinnull", "StdinNull", "yes", Outcome::fail, "a command that reads stdin gets nothing"},
    {"requesttty", "RequestTTY", "force", Outcome::fail, "a terminal stands between: line ends change, and stdout and stderr are one"},
    {"requesttty", "RequestTTY", "true", Outcome::warn, "started from a terminal, stdout and stderr are one, and line ends change"},
    {"stricthostkeychecking", "StrictHostKeyChecking", "false", Outcome::warn,
     "any machine that answers is believed, also one with a changed key"},
    {"stricthostkeychecking", "StrictHostKeyChecking", "accept-new", Outcome::warn, "the first machine that answers is believed"},
};

bool matches(const Rule& rule, const std::string& value) {
    return rule.value == std::string_view("*") ? !value.empty() && value != "none" : value == rule.value;
}

// The rules that need more than one keyword.
void combined(const Config& config, std::vector<Break>& found) {
    const auto known = values_of(config, "userknownhostsfile");
    if (!known.empty() && std::all_of(known.begin(), known.end(), [](const auto& f) { return f == "/dev/null"; }))
        found.push_back({Outcome::warn, "UserKnownHostsFile /dev/null", "no host key is remembered"});
    const std::string local = value_of(config, "localcommand");
    if (value_of(config, "permitlocalcommand") == "yes" && !local.empty())
        found.push_back({Outcome::warn, "LocalCommand " + local, "its output is mixed with that of the command"});
    const bool forwards = !value_of(config, "localforward").empty() || !value_of(config, "dynamicforward").empty() ||
                          !value_of(config, "remoteforward").empty();
    if (value_of(config, "exitonforwardfailure") == "yes" && forwards)
        found.push_back({Outcome::warn, "ExitOnForwardFailure yes with forwardings", "a second login at the same time fails"});
}

}  // namespace

Config read_config(std::string_view dump) {
    Config config;
    for (const auto& line : lines_of(dump)) {
        const std::size_t space = line.find(' ');
        if (space == std::string::npos) continue;
        std::string keyword = line.substr(0, space);
        std::transform(keyword.begin(), keyword.end(), keyword.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        config.emplace_back(std::move(keyword), line.substr(space + 1));
    }
    return config;
}

std::string value_of(const Config& config, std::string_view keyword) {
    for (const auto& [name, value] : config)
        if (name == keyword) return value;
    return "";
}

std::vector<std::string> values_of(const Config& config, std::string_view keyword) {
    std::vector<std::string> values;
    for (const auto& [name, value] : config) {
        if (name != keyword) continue;
        if (keyword == "identityfile") {  // one a line: the path may have spaces
            values.push_back(value);
            continue;
        }
        std::istringstream words(value);
        for (std::string word; words >> word;) values.push_back(word);
    }
    return values;
}

std::vector<Break> breaks_of(const Config& config) {
    std::vector<Break> found;
    for (const auto& rule : rules) {
        const std::string value = value_of(config, rule.keyword);
        if (matches(rule, value)) found.push_back({rule.outcome, fmt::format("{} {}", rule.shown, value), rule.effect});
    }
    combined(config, found);
    return found;
}

std::string no_keys_setting(const Config& config) {
    if (value_of(config, "pubkeyauthentication") == "false") return "PubkeyAuthentication no";
    const std::string preferred = value_of(config, "preferredauthentications");
    return preferred.empty() || preferred.find("publickey") != std::string::npos ? "" : "PreferredAuthentications " + preferred;
}

std::string host_key_name(const Config& config) {
    std::string alias = value_of(config, "hostkeyalias");
    if (!alias.empty() && alias != "none") return alias;
    const std::string name = value_of(config, "hostname"), port = value_of(config, "port");
    return port.empty() || port == "22" ? name : fmt::format("[{}]:{}", name, port);
}

}  // namespace diag::ssh
