#include "cli/peer_looks.hpp"

#include <algorithm>

#include "cli/joined_site.hpp"
#include "host/catalogue.hpp"
#include "host/peers.hpp"
#include "host/worker_session.hpp"

namespace diag::cli {
namespace {

constexpr double look_slack = 3;            // seconds; a look is quick, and another machine may be busy
constexpr double resolver_slack = 6;        // one server that is silent: 5 s, resolv.conf(5)
constexpr double slack_per_address = 0.05;  // 32 are asked at once, and each is waited for (300 ms), on every interface

std::string remedy_of(const std::string& code) {
    for (const auto& cause : host::host_causes())
        if (cause.code == code) return cause.remedy;
    return "";
}

class PeerRound {
  public:
    PeerRound(Session& session, const std::vector<std::string>& hosts, const base::SshTarget& how) : session_(session), hosts_(hosts) {
        for (const auto& host : hosts_) peers_.add(host, {host, how.user, how.config});
    }

    PeerLooks looks() {
        all_.machines.push_back({"", "", host::look(*session_.worker, session_.catalogue, options(look_slack), asking({})), {}});
        blind(all_.machines.front().alone, "this machine");
        for (std::size_t first = 0; first < hosts_.size(); first += host::logins_at_once) log_in(first);
        all_.notes = name_machines(all_.machines, host_name());
        for (auto& machine : all_.machines) look_for_others(machine);
        return std::move(all_);
    }

  private:
    static host::RunOptions options(double slack) {
        host::RunOptions options;
        options.timeout = slack;
        return options;
    }
    static json asking(const std::vector<std::string>& others) { return {{"others", others}}; }

    template <class Ask>
    bool asked(const std::string& host, bool whole, const Ask& ask) {
        try {
            ask();
            return true;
        } catch (const host::NoWorker& e) {
            all_.troubles.push_back({host, e.code, e.what(), remedy_of(e.code), whole});
        } catch (const std::runtime_error& e) {  // the worker there says that it does not understand
            all_.troubles.push_back({host, "peer.no-worker", e.what(), remedy_of("peer.no-worker"), whole});
        }
        return false;
    }

    // All of these at once; each is then waited for.
    void log_in(std::size_t first) {
        const std::size_t last = std::min(first + host::logins_at_once, hosts_.size());
        std::vector<std::string> begun;
        for (std::size_t i = first; i < last; ++i)
            if (asked(hosts_[i], true, [&] { peers_.client(hosts_[i])->begin(); })) begun.push_back(hosts_[i]);
        for (const auto& host : begun) {
            MachineLook machine{host, "", {}, {}};
            if (!asked(host, true, [&] { machine.alone = there(host, look_slack, {}); })) continue;
            blind(machine.alone, host);
            all_.machines.push_back(std::move(machine));
        }
    }

    host::Seen there(const std::string& host, double slack, const std::vector<std::string>& others) {
        return host::look_there(peers_, host, session_.catalogue, options(slack), asking(others));
    }

    void look_for_others(MachineLook& machine) {
        std::vector<std::string> others;
        for (const auto& other : all_.machines) {
            if (&other == &machine) continue;
            for (const auto& at : endpoints_of(other)) others.push_back(at.address);
            if (!machine.given.empty()) continue;
            for (const auto& name : {other.given, host_name_of(other)})  // what leads to it from here is its name in the file
                if (!name.empty() && std::ranges::find(others, name) == others.end()) others.push_back(name);
        }
        if (others.empty()) return;
        const double slack = resolver_slack + slack_per_address * static_cast<double>(others.size());
        if (machine.given.empty())
            machine.met = host::look(*session_.worker, session_.catalogue, options(slack), asking(others));
        else if (!asked(machine.given, false, [&] { machine.met = there(machine.given, slack, others); }))
            return;
        blind(machine.met, machine.given.empty() ? "this machine" : machine.given);
    }

    // Once for each plugin and machine, though it was asked twice.
    void blind(const host::Seen& seen, const std::string& machine) {
        for (const auto& one : seen.blind) {
            const std::string reason = one.plugin + ": " + one.reason;
            const auto same = [&](const LookTrouble& t) { return t.machine == machine && t.cause == one.cause && t.reason == reason; };
            if (std::ranges::none_of(all_.troubles, same)) all_.troubles.push_back({machine, one.cause, reason, one.next, false});
        }
    }

    Session& session_;
    const std::vector<std::string>& hosts_;
    host::Peers peers_;
    PeerLooks all_;
};

}  // namespace

PeerLooks look_at_peers(Session& session, const std::vector<std::string>& hosts, const base::SshTarget& how) {
    return PeerRound(session, hosts, how).looks();
}

}  // namespace diag::cli
