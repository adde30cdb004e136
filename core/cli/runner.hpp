// Runs planned checks where they belong: on this machine's worker, on a peer's, or half here and half there.
#pragma once

#include <optional>
#include <string>

#include "cli/session.hpp"
#include "engine/engine.hpp"
#include "host/peers.hpp"

namespace diag::cli {

// Which machine of the site a worker's hello is of, by the rules for this machine's own; "" where it is of none.
host::WhoIs who_is(const runbook::Site& site);
// The peers of `machine`, as the site file gives them; none without one.
host::Peers peers_of(const std::optional<runbook::Site>& site, const std::string& machine);

// Says, once, on stderr, that ssh runs as somebody else than diag, where it does (under sudo).
void tell_whose_login();

class WorkerRunner : public engine::Runner {
  public:
    WorkerRunner(Session& session, const Common& common, std::string machine, const std::optional<runbook::Site>& site, int interrupt_fd)
        : session_(session), common_(common), machine_(std::move(machine)), peers_(peers_of(site, machine_)), interrupt_fd_(interrupt_fd) {}
    // Who hears what a check says of itself while it runs.
    void tell(host::Progress progress) { progress_ = std::move(progress); }
    host::Result run(const runbook::PlannedCheck& check) override;
    std::vector<host::Result> run_beside(const std::vector<const runbook::PlannedCheck*>& checks) override;
    // From both ends at the same time, in 5 s together.
    std::vector<Snapshot> snapshot(const runbook::PlannedCheck& check) override;
    // What a reusable check relies on, as it is now, from both ends; nothing where that cannot be told.
    std::optional<json> facts(const runbook::PlannedCheck& check);

  private:
    // Where a check runs.
    struct Place {
        host::WorkerClient* client = nullptr;
        host::RemoteCheck check;
    };
    // Throws NoWorker where that machine's worker cannot be had, or has no such check.
    Place place(const std::string& machine, const std::string& check);
    // A check with its place or places, or what it comes to where it cannot be placed.
    struct Prepared {
        std::optional<Place> here, there;
        std::vector<std::string> notes;
        std::string alone_because;
        std::optional<host::Result> result;
    };
    // Begins what each login to their machines takes, eight at a time; who cannot be had is told when it is asked.
    void log_in(const std::vector<const runbook::PlannedCheck*>& checks);
    Prepared prepare(const runbook::PlannedCheck& check);
    // `there` of it, or a note that this half runs alone, or a result.
    void prepare_there(const runbook::PlannedCheck& check, Prepared& prepared);
    // The worker for the next check of several: a peer has one, this machine several, which take turns.
    host::WorkerClient& next_worker(const Place& place, std::size_t& turn);
    host::Question question(const runbook::PlannedCheck& check, const Prepared& prepared, std::size_t& turn);
    host::RunOptions options(const runbook::PlannedCheck& check, const std::string& machine) const;

    Session& session_;
    const Common& common_;
    std::string machine_;
    host::Peers peers_;
    int interrupt_fd_;
    host::Progress progress_;
};

}  // namespace diag::cli
