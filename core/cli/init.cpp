// diag init: writes a first site file, and says what it could not know.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/utf8.hpp"
#include "cli/env_file.hpp"
#include "cli/first_site.hpp"
#include "cli/joined_site.hpp"
#include "cli/machine_name.hpp"
#include "cli/paths.hpp"
#include "cli/peer_looks.hpp"
#include "runbook/finding.hpp"
#include "runbook/node.hpp"
#include "runbook/pattern.hpp"
#include "runbook/site.hpp"

namespace diag::cli {
namespace {

struct InitOptions {
    std::string env, ssh_user, ssh_config;
    std::vector<std::string> peers;  // as given; patterns are not expanded
};

// A draft, and whether all that was asked could be seen.
struct Drafted {
    runbook::SiteDraft site;
    bool complete = true;
};

// share/diag/env-keys.yaml: KEY -> place.
std::map<std::string, std::string> env_places() {
    const auto file = prefix() / "share/diag/env-keys.yaml";
    std::map<std::string, std::string> places;
    const runbook::Node table = runbook::read_yaml(base::read_file(file), file.string());
    for (const auto& [key, place] : table.map) places[key.text] = place.text;
    return places;
}

// From this machine alone.
Drafted draft_here(Session& session, const std::string& env, const Common& common) {
    host::RunOptions options;
    options.timeout = 1;
    options.root = common.root;
    const auto seen = host::look(*session.worker, session.catalogue, options);
    for (const auto& blind : seen.blind)
        std::cerr << fmt::format("could not look: {}: {} [{}]\n", base::printable(blind.plugin), base::printable(blind.reason),
                                 blind.cause);
    const std::string host = machine_name(common.root).host;
    if (host.empty())
        throw UsageError("the captured tree does not say of which machine it is: " + common.root + "/etc/hostname is missing");
    if (env.empty()) return {site_from_look(seen, host), seen.blind.empty()};
    if (!std::filesystem::is_regular_file(env)) throw UsageError(base::printable(env) + ": no such settings file");
    return {site_from_env(parse_env(base::read_file(env, 1 << 20), env), env_places(), seen, host), seen.blind.empty()};
}

// Patterns expanded, each host once.
std::vector<std::string> hosts_of(const std::vector<std::string>& peers) {
    std::vector<std::string> hosts;
    const auto add = [&](const std::string& host) {
        if (!runbook::is_host_name(host) && !runbook::is_address(host))
            throw UsageError("--peer " + base::printable(host) +
                             ": not whom ssh can call (a host name, an address or a Host of ssh's configuration; for a user: --ssh-user)");
        if (std::ranges::find(hosts, host) == hosts.end()) hosts.push_back(host);
    };
    for (const auto& given : peers) {
        try {
            const runbook::Pattern pattern(given);
            for (std::size_t i = 0; i < pattern.count(); ++i) add(pattern.at(i));
        } catch (const BadValue& e) {
            throw UsageError("--peer " + base::printable(given) + ": " + base::printable(e.what()));
        }
    }
    return hosts;
}

// The file is read from elsewhere, too; "~/" is the login user's home.
std::string whole_path(const std::string& config) {
    return config.empty() || config.rfind("~/", 0) == 0 ? config : std::filesystem::absolute(config).lexically_normal().string();
}

// A login works, and diag there does not: `diag peers install` mends that, of machines that the site file names.
bool wants_install(const LookTrouble& trouble) {
    return trouble.whole && (trouble.cause == "peer.diag-missing" || trouble.cause == "peer.protocol");
}

// A short form of what every connection begins with (base/ssh_command.hpp), for a person to see the answer.
std::string login_by_hand(const std::string& host, const base::SshTarget& how) {
    std::string words = "ssh -o BatchMode=yes -o StrictHostKeyChecking=yes";
    if (!how.config.empty()) words += " -F " + how.config;
    if (!how.user.empty()) words += " -l " + how.user;
    return words + " -- " + host + " true";
}

void tell(const LookTrouble& trouble, const base::SshTarget& how, const std::filesystem::path& file) {
    std::string next = trouble.next;
    if (trouble.whole && trouble.cause == "peer.unreachable") next = login_by_hand(trouble.machine, how);
    if (wants_install(trouble))
        next = fmt::format("diag peers install --site {} --apply; then diag init again, into another file", file.string());
    std::cerr << fmt::format("{}: {}: {} [{}]\n", base::printable(trouble.machine),
                             trouble.whole ? "left out" : "not everything could be seen", base::printable(trouble.reason), trouble.cause);
    if (!next.empty()) std::cerr << "   next: " << base::printable(next) << "\n";
}

// Whoever gave no look has no links; where diag is to be installed, it must be a machine of the file.
void add_missing(const std::vector<LookTrouble>& troubles, runbook::SiteDraft& site) {
    for (const auto& trouble : troubles) {
        if (!trouble.whole) continue;
        site.unknown.push_back(fmt::format("{}: {} [{}]", trouble.machine, trouble.reason, trouble.cause));
        const std::string key = unused_key(trouble.machine, site.machines);
        if (wants_install(trouble)) site.machines.emplace_back(key, runbook::DraftMap{{"ssh", runbook::scalar(trouble.machine)}});
    }
}

// From this machine, its peers, and whom each of them sees.
Drafted draft_with_peers(Session& session, const InitOptions& given, const std::filesystem::path& file) {
    const base::SshTarget how{"", given.ssh_user, whole_path(given.ssh_config)};
    const auto looks = look_at_peers(session, hosts_of(given.peers), how);
    for (const auto& trouble : looks.troubles) tell(trouble, how, file);
    for (const auto& note : looks.notes) std::cerr << base::printable(note) << "\n";
    runbook::DraftMap ssh;
    if (!how.user.empty()) ssh.emplace_back("user", runbook::scalar(how.user));
    if (!how.config.empty()) ssh.emplace_back("config", runbook::scalar(how.config));
    Drafted drafted{site_from_looks(looks.machines, host_name(), ssh), looks.troubles.empty()};
    add_missing(looks.troubles, drafted.site);
    return drafted;
}

void write(const std::filesystem::path& file, const std::string& text) {
    try {
        base::write_new_file(file, text, ::geteuid() == 0 ? 0644 : 0600);  // as root, for every user of this machine
    } catch (const std::system_error& e) {
        if (e.code().value() == EEXIST)
            throw UsageError(fmt::format("{} is there already, and is not overwritten; name another file", file.string()));
        throw;
    }
}

// Of names and numbers that come from elsewhere; the file that an error would point into is never written.
void require_readable(const std::string& text) {
    try {
        static_cast<void>(runbook::parse_site(text, "the site file"));
    } catch (const runbook::RunbookError& e) {
        std::string shown =
            fmt::format("nothing was written, because what was found makes no site file: {}\nIt would have been:", e.what());
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) shown += "\n   " + base::printable(line);
        throw UsageError(shown);
    }
}

// As root a run reads no file that others could change.
void warn_of_distrust(const std::filesystem::path& file) {
    try {
        static_cast<void>(trusted(file));
    } catch (const UsageError& e) {
        std::cerr << e.what() << "\n";
    }
}

void refuse_contradictions(const InitOptions& given, const Common& common) {
    if (given.peers.empty() && !(given.ssh_user.empty() && given.ssh_config.empty()))
        throw UsageError("--ssh-user and --ssh-config say how peers are reached: name them, --peer HOST");
    if (given.peers.empty()) return;
    if (!given.env.empty()) throw UsageError("--env and --peer are two ways to a site file: take one");
    if (!common.root.empty()) throw UsageError("--peer asks machines, and a captured tree (--root) is none");
}

}  // namespace

int init_command(const Arguments& arguments) {
    CommandLine line(command_named("init"), Takes::plugins | Takes::root);
    InitOptions given;
    line.add_options()("env", po::value(&given.env)->value_name("FILE"), "take the facts from a settings file of KEY=value lines")(
        "peer", po::value(&given.peers)->value_name("HOST"),
        "another machine, as behind ssh on a command line, or a pattern of many (gpu[01-04]); may be repeated")(
        "ssh-user", po::value(&given.ssh_user)->value_name("USER"), "whom to log in as; else ssh's configuration says it")(
        "ssh-config", po::value(&given.ssh_config)->value_name("FILE"), "a configuration file for ssh, in place of your own");
    line.positional(0, 1);
    if (!line.parse(arguments)) return 0;
    refuse_contradictions(given, line.common);
    const std::filesystem::path file = line.words.empty() ? (::geteuid() == 0 ? "/etc/diag/site.yaml" : "site.yaml") : line.words[0];
    if (std::filesystem::exists(std::filesystem::symlink_status(file)))
        throw UsageError(fmt::format("{} is there already, and is not overwritten; name another file", file.string()));
    Session session = open_session(line.common);
    const Drafted drafted = given.peers.empty() ? draft_here(session, given.env, line.common) : draft_with_peers(session, given, file);
    const auto& site = drafted.site;
    const std::string text = runbook::to_yaml(site);
    require_readable(text);
    if (file.has_parent_path() && !std::filesystem::exists(file.parent_path())) ::mkdir(file.parent_path().c_str(), 0755);
    write(file, text);
    std::cout << file.string() << " written\n";
    for (const auto& sentence : site.decided) std::cout << "   " << base::printable(sentence) << "\n";
    if (!site.unknown.empty()) std::cout << "\nWhat it could not know:\n";
    for (const auto& sentence : site.unknown) std::cout << "   - " << base::printable(sentence) << "\n";
    if (given.peers.empty())
        std::cout << "\nThen: diag lint RUNBOOK, diag run RUNBOOK\n";
    else
        std::cout << fmt::format(
            "\nThen: diag run bringup --site {0} --plan, and without --plan.  The file is the same on every machine: copy it to them.\n",
            file.string());
    warn_of_distrust(file);
    return drafted.complete ? 0 : 3;
}

}  // namespace diag::cli
