#include "cli/peer_install.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "cli/paths.hpp"
#include "probe/subprocess.hpp"

namespace diag::cli {
namespace {

namespace fs = std::filesystem;
using base::printable;
using namespace std::chrono_literals;

constexpr std::size_t most_archive = std::size_t{256} << 20;  // bytes

struct NotInstalled : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The files of this installation, below its prefix.
std::vector<std::string> own_files() {
    std::vector<std::string> files = {"bin/diag", "bin/diag-worker"};
    for (const char* folder : {"lib/diag/plugins", "share/diag/runbooks"}) {
        std::error_code absent;  // an installation without runbooks has none to copy
        for (const auto& entry : fs::directory_iterator(prefix() / folder, absent))
            if (entry.is_regular_file()) files.push_back(fs::path(folder) / entry.path().filename());
    }
    std::ranges::sort(files);
    return files;
}

std::string archive_of(const std::vector<std::string>& files) {
    probe::Command tar{
        .argv = {"tar", "-c", "-f", "-", "--owner=0", "--group=0", "--numeric-owner", "--mode=go-w", "-C", prefix().string(), "--"},
        .timeout = 60s,
        .most_output = most_archive};
    tar.argv.insert(tar.argv.end(), files.begin(), files.end());
    const auto done = probe::run(tar);
    if (done.status != 0 || done.signal != 0 || done.cut) throw NotInstalled("the archive cannot be made: " + done.err);
    return done.out;
}

// Runs constant words on the peer; what a file or a name says never reaches its shell.
probe::Finished on_peer(const runbook::Site& site, const PeerState& peer, const std::string& words, const std::string& input) {
    return probe::run({.argv = base::ssh_command({peer.host, site.ssh_user, site.ssh_config}, words), .timeout = 300s, .input = input});
}

std::string last_line(const std::string& text) {
    std::istringstream lines(text);
    std::string last;
    for (std::string line; std::getline(lines, line);)
        if (!line.empty()) last = line;
    return last;
}

// "0 x86_64", as the login there sees itself.
void require_fitting(const std::string& identity) {
    utsname here{};
    ::uname(&here);
    const std::string arch = identity.substr(identity.find(' ') + 1);
    if (arch != here.machine)
        throw NotInstalled(fmt::format("it is {}, and this build is for {}: build diag there", printable(arch), here.machine));
}

void install(const runbook::Site& site, const PeerState& peer, const std::string& archive) {
    const auto who = on_peer(site, peer, "echo $(id -u) $(uname -m)", "");
    const std::string identity = last_line(who.out);
    if (who.status != 0 || identity.find(' ') == std::string::npos)
        throw NotInstalled("it does not say who one is there: " + last_line(who.err));
    require_fitting(identity);
    const char* words = identity.starts_with("0 ") ? "tar -x -f - -C /usr/local" : "sudo -n tar -x -f - -C /usr/local --no-same-owner";
    const auto done = on_peer(site, peer, words, archive);
    if (done.timed_out) throw NotInstalled("it had not ended after 300 s");
    if (done.status != 0) throw NotInstalled(fmt::format("'{}' there ended with {}: {}", words, done.status, last_line(done.err)));
}

void print_plan(const std::vector<const PeerState*>& wanting, const std::vector<std::string>& files) {
    std::uintmax_t bytes = 0;
    for (const auto& file : files) bytes += fs::file_size(prefix() / file);
    std::cout << fmt::format("would be copied from {} to /usr/local: {} files, {:.1f} MB\n", prefix().string(), files.size(),
                             static_cast<double>(bytes) / 1e6);
    for (const auto* peer : wanting)
        std::cout << fmt::format("   {}  ({}): {}\n", printable(peer->machine), printable(peer->host),
                                 peer->reached() ? "another build or other plugins" : "no diag yet");
}

// What was copied is believed when the peer's own worker says so: a library may be missing there.
bool all_equal_now(const runbook::Site& site, const std::vector<const PeerState*>& wanting, const host::Catalogue& here) {
    std::vector<const runbook::Machine*> machines;
    machines.reserve(wanting.size());
    for (const auto* peer : wanting) machines.push_back(site.machine(peer->machine));
    bool all = true;
    for (const auto& peer : ask_peers(site, machines, here)) {
        all = all && peer.equal();
        std::cout << printable(peer.machine) << ": "
                  << (peer.equal() ? "has this build now"
                                   : "still differs: " +
                                         printable(peer.reached() ? "another file stands before it in its PATH, or in its plugin folders"
                                                                  : peer.reason))
                  << "\n";
    }
    return all;
}

}  // namespace

int install_on(const std::vector<PeerState>& peers, const runbook::Site& site, bool apply, const Common& common,
               const host::Catalogue& here) {
    if (common.format != "text") throw UsageError("diag peers install prints text only");
    std::vector<const PeerState*> wanting;
    bool unreached = false, failed = false;
    for (const auto& peer : peers) {
        if (peer.reached() ? !peer.equal() : peer.cause == "peer.diag-missing" || peer.cause == "peer.protocol") {
            wanting.push_back(&peer);
        } else if (!peer.reached()) {
            unreached = true;
            std::cout << printable(peer.machine) << ": left out: " << printable(peer.reason) << "\n";
        }
    }
    if (wanting.empty() && !unreached) std::cout << "nothing to do: every peer has this build\n";
    if (wanting.empty()) return unreached ? 3 : 0;
    const auto files = own_files();
    if (!apply) {
        print_plan(wanting, files);
        std::cout << "nothing was changed; to do so: diag peers install --apply\n";
        return 75;
    }
    const std::string archive = archive_of(files);
    for (const auto* peer : wanting) {
        try {
            std::cerr << "copying to " << printable(peer->machine) << "\n";
            install(site, *peer, archive);
            std::cout << printable(peer->machine) << ": copied\n";
        } catch (const NotInstalled& e) {
            failed = true;
            std::cout << printable(peer->machine) << ": not installed: " << printable(e.what()) << "\n";
        }
    }
    return failed || !all_equal_now(site, wanting, here) ? 2 : unreached ? 3 : 0;
}

}  // namespace diag::cli
