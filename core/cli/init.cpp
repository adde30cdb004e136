// diag init: writes a first site file, and says what it could not know.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/utf8.hpp"
#include "cli/env_file.hpp"
#include "cli/first_site.hpp"
#include "cli/paths.hpp"
#include "cli/session.hpp"
#include "runbook/finding.hpp"
#include "runbook/node.hpp"
#include "runbook/site.hpp"

namespace diag::cli {
namespace {

// share/diag/env-keys.yaml: KEY -> place.
std::map<std::string, std::string> env_places() {
    const auto file = prefix() / "share/diag/env-keys.yaml";
    std::map<std::string, std::string> places;
    const runbook::Node table = runbook::read_yaml(base::read_file(file), file.string());
    for (const auto& [key, place] : table.map) places[key.text] = place.text;
    return places;
}

runbook::SiteDraft draft(const std::string& env, const host::Seen& seen) {
    if (env.empty()) return site_from_look(seen, host_name());
    if (!std::filesystem::is_regular_file(env)) throw UsageError(base::printable(env) + ": no such settings file");
    return site_from_env(parse_env(base::read_file(env, 1 << 20), env), env_places(), seen, host_name());
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

}  // namespace

int init_command(const Arguments& arguments) {
    CommandLine line(command_named("init"), Takes::plugins);
    std::string env;
    line.add_options()("env", po::value(&env)->value_name("FILE"), "take the facts from a settings file of KEY=value lines");
    line.positional(0, 1);
    if (!line.parse(arguments)) return 0;
    const std::filesystem::path file = line.words.empty() ? (::geteuid() == 0 ? "/etc/diag/site.yaml" : "site.yaml") : line.words[0];
    if (std::filesystem::exists(std::filesystem::symlink_status(file)))
        throw UsageError(fmt::format("{} is there already, and is not overwritten; name another file", file.string()));
    Session session = open_session(line.common);
    host::RunOptions options;
    options.timeout = 1;
    options.root = line.common.root;
    const auto seen = host::look(*session.worker, session.catalogue, options);
    for (const auto& blind : seen.blind)
        std::cerr << fmt::format("could not look: {}: {} [{}]\n", base::printable(blind.plugin), base::printable(blind.reason),
                                 blind.cause);
    const auto site = draft(env, seen);
    const std::string text = runbook::to_yaml(site);
    static_cast<void>(runbook::parse_site(text, file.string()));  // what is written must be readable
    if (file.has_parent_path() && !std::filesystem::exists(file.parent_path())) ::mkdir(file.parent_path().c_str(), 0755);
    write(file, text);
    std::cout << file.string() << " written\n";
    if (!site.unknown.empty()) std::cout << "\nWhat it could not know:\n";
    for (const auto& sentence : site.unknown) std::cout << "   - " << base::printable(sentence) << "\n";
    std::cout << "\nThen: diag lint RUNBOOK, diag run RUNBOOK\n";
    return seen.blind.empty() ? 0 : 3;
}

}  // namespace diag::cli
