// What most commands need first: a worker on this machine, and the catalogue of its plugins.
#pragma once

#include <memory>
#include <string>

#include "cli/options.hpp"
#include "engine/engine.hpp"
#include "host/worker_client.hpp"
#include "runbook/site.hpp"

namespace diag::cli {

using json = nlohmann::json;

struct Session {
    std::unique_ptr<host::WorkerClient> worker;
    host::Catalogue catalogue;
};

// Starts the worker and asks every plugin.  Refused plugin files are told on stderr, and stop nothing by themselves.
Session open_session(const Common& common);

// The site file, where there is one; as root it must be trusted.
std::optional<runbook::Site> load_site(const Common& common);

// This machine's key in the site file; "" without one.
std::string this_machine(const std::optional<runbook::Site>& site, const Common& common);

std::string host_name();

// Whether this process sees the lab and not a real network: told by `diag lab exec`, by the site file, or by the
// network namespace itself.
bool in_lab(const std::optional<runbook::Site>& site);

// Runs checks through the session's worker; what belongs to another machine cannot run yet and says so.
class WorkerRunner : public engine::Runner {
  public:
    WorkerRunner(Session& session, const Common& common, std::string machine, int interrupt_fd)
        : session_(session), common_(common), machine_(std::move(machine)), interrupt_fd_(interrupt_fd) {}
    // Who hears what a check says of itself while it runs.
    void tell(host::Progress progress) { progress_ = std::move(progress); }
    host::Result run(const runbook::PlannedCheck& check) override;
    // What a reusable check relies on, as it is now; nothing where that cannot be told.
    std::optional<json> facts(const runbook::PlannedCheck& check) const;

  private:
    host::RunOptions options(const runbook::PlannedCheck& check) const;
    Session& session_;
    const Common& common_;
    std::string machine_;
    int interrupt_fd_;
    host::Progress progress_;
};

}  // namespace diag::cli
