// What most commands need first: a worker on this machine, and the catalogue of its plugins.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "host/worker_client.hpp"
#include "runbook/site.hpp"

namespace diag::cli {

using json = nlohmann::json;

struct Session {
    std::unique_ptr<host::WorkerClient> worker;
    std::vector<std::unique_ptr<host::WorkerClient>> beside;  // more on this machine, for rows side by side: each does one thing at a time
    host::Catalogue catalogue;
};

// A worker on this machine.
std::unique_ptr<host::WorkerClient> worker_here();

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

}  // namespace diag::cli
