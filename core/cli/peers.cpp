// diag peers: who of the site answers, with which build and plugins; diag peers install: this build, to those that differ.
#include <algorithm>
#include <iostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/build.hpp"
#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "cli/peer_install.hpp"
#include "cli/peer_states.hpp"
#include "host/catalogue.hpp"
#include "host/judge.hpp"
#include "report/layout.hpp"

namespace diag::cli {
namespace {

using base::printable;

const host::Cause* host_cause(const std::string& code) {
    for (const auto& cause : host::host_causes())
        if (cause.code == code) return &cause;
    return nullptr;
}

host::Outcome outcome_of(const PeerState& peer) {
    if (!peer.reached()) return host::is_verdict(peer.cause) ? host::Outcome::fail : host::Outcome::not_run;
    return peer.equal() ? host::Outcome::pass : host::Outcome::warn;
}

// "link.so, mtu.so"; more than four are counted.
std::string some(const std::vector<std::string>& names) {
    return names.size() > 4 ? fmt::format("{} plugins", names.size()) : fmt::format("{}", fmt::join(names, ", "));
}

std::string told(const PeerState& peer) {
    if (!peer.reached()) return peer.reason;
    if (peer.hello.contains("noise")) {
        PeerState quiet = peer;
        quiet.hello.erase("noise");
        return told(quiet) + "; logins to it print: " + peer.hello["noise"].get<std::string>();
    }
    if (peer.equal())
        return fmt::format("the same build, {} plugins", peer.same.size()) +
               (peer.beyond.empty() ? "" : "; beside them " + some(peer.beyond));
    std::vector<std::string> parts;
    if (!peer.other_build.empty()) parts.push_back(peer.other_build);
    if (!peer.differing.empty()) parts.push_back("other plugins: " + some(peer.differing));
    if (!peer.missing.empty()) parts.push_back("missing: " + some(peer.missing));
    for (const auto& refused : peer.refused) parts.push_back("refused there: " + refused);
    return fmt::format("{}", fmt::join(parts, "; "));
}

json document(const PeerState& peer) {
    const auto* cause = host_cause(peer.cause);
    return {{"machine", peer.machine},
            {"host", peer.host},
            {"outcome", to_text(outcome_of(peer))},
            {"reached", peer.reached()},
            {"cause", peer.cause.empty() ? json(nullptr) : json(peer.cause)},
            {"reason", told(peer)},
            {"next", cause == nullptr ? json(nullptr) : json(cause->remedy)},
            {"build", peer.hello},
            {"plugins", {{"same", peer.same}, {"differing", peer.differing}, {"missing", peer.missing}, {"beyond", peer.beyond}}}};
}

void print(const std::vector<PeerState>& peers, const std::string& machine, const report::TextStyle& style) {
    const auto& build = base::build();
    std::size_t width = machine.size();
    for (const auto& peer : peers) width = std::max(width, peer.machine.size());
    std::cout << fmt::format("   {}  this machine: diag {} ({}, {})\n", report::padded(machine, width), build.version, build.commit,
                             build.changes);
    for (const auto& peer : peers) {
        const auto outcome = outcome_of(peer);
        std::cout << " " << report::painted(outcome, report::glyph(outcome, style), style) << " "
                  << report::wrapped(printable(report::padded(peer.machine, width)) + "  ", told(peer), style);
        if (const auto* cause = host_cause(peer.cause))
            std::cout << report::wrapped(std::string(width + 5, ' '), fmt::format("{}   next: {}", peer.cause, cause->remedy), style);
    }
    if (std::ranges::any_of(peers, [](const PeerState& p) { return outcome_of(p) == host::Outcome::warn; }))
        std::cout
            << "\nSame protocol, other builds: that works, and every verdict from there says so.  To make them equal: diag peers install\n";
}

std::vector<const runbook::Machine*> chosen(const runbook::Site& site, const std::string& machine, const std::vector<std::string>& keys) {
    std::vector<const runbook::Machine*> found;
    for (const auto& key : keys)
        if (site.machine(key) == nullptr)
            throw UsageError("the site file has no machine '" + printable(key) + "'" + base::did_you_mean(key, site.machine_keys()));
    for (const auto& candidate : site.machines)
        if (candidate.key != machine && (keys.empty() || std::ranges::find(keys, candidate.key) != keys.end())) found.push_back(&candidate);
    return found;
}

}  // namespace

int peers_command(const Arguments& arguments) {
    CommandLine line(command_named("peers"), Takes::site | Takes::machine | Takes::plugins | Takes::format | Takes::fail_on | Takes::color);
    bool apply = false;
    line.add_options()("apply", po::bool_switch(&apply), "with install: copies; without it only the plan is printed");
    line.positional(0, 10000);
    if (!line.parse(arguments)) return 0;
    std::vector<std::string> keys = line.words;
    const bool install = !keys.empty() && keys.front() == "install";
    if (install) keys.erase(keys.begin());
    if (apply && !install) throw UsageError("--apply belongs to diag peers install");
    const auto site = load_site(line.common);
    if (!site) throw UsageError("peers are those of the site file, and there is none (--site; diag init writes one)");
    const std::string machine = this_machine(site, line.common);
    Session session = open_session(line.common);
    const auto peers = ask_peers(*site, chosen(*site, machine, keys), session.catalogue);
    if (install) return install_on(peers, *site, apply, line.common, session.catalogue);
    host::Outcome worst = host::Outcome::pass;
    json all = json::array();
    for (const auto& peer : peers) {
        worst = host::worse(worst, outcome_of(peer));
        all.push_back(document(peer));
    }
    const auto& build = base::build();
    if (line.common.format == "json")
        std::cout << json{{"machine", machine},
                          {"build", {{"version", build.version}, {"commit", build.commit}, {"changes", build.changes}}},
                          {"peers", all}}
                         .dump(2, ' ', false, json::error_handler_t::replace)
                  << "\n";
    else
        print(peers, machine, line.common.style());
    return report::exit_code(worst, line.common.fail_level());
}

}  // namespace diag::cli
