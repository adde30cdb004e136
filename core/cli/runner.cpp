#include "cli/runner.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "host/judge.hpp"
#include "host/worker_session.hpp"

namespace diag::cli {
namespace {

host::Result without(const host::CheckInfo& check, const host::NoWorker& why) {
    host::Result result = host::not_run(check, why.code, why.what());
    if (why.code == "peer.protocol") result.outcome = host::Outcome::fail;  // known, and how to mend it: no question is open
    return result;
}

void note(host::Result& result, const std::string& text) {
    if (!text.empty()) result.notes.push_back(text);
}

}  // namespace

host::Peers peers_of(const std::optional<runbook::Site>& site, const std::string& machine) {
    host::Peers peers;
    if (!site) return peers;
    for (const auto& peer : site->machines)
        if (peer.key != machine) peers.add(peer.key, {runbook::ssh_host(*site, peer), site->ssh_user, site->ssh_config});
    return peers;
}

WorkerRunner::Place WorkerRunner::place(const std::string& machine, const std::string& check) {
    const auto* info = session_.catalogue.check(check);
    const auto* plugin = session_.catalogue.plugin_of(check);
    if (info == nullptr || plugin == nullptr) throw std::logic_error("a plan names a check that is not in the catalogue: " + check);
    if (machine == machine_) return {session_.worker.get(), {*info, plugin->file, ""}};
    if (!common_.root.empty())
        throw host::NoWorker("peer.unavailable", "this belongs to " + machine + ", and a captured tree (--root) is of one machine");
    host::WorkerClient* peer = peers_.client(machine);
    if (peer == nullptr) throw host::NoWorker("peer.unavailable", "the site file has no machine '" + machine + "'");
    return {peer, peers_.find(machine, session_.catalogue, check)};
}

host::Result WorkerRunner::run(const runbook::PlannedCheck& check) {
    try {
        const Place here = place(check.machine, check.check);
        if (here.check.check.pair != host::Pair::no) return run_halves(here, check);
        host::Result result = here.client->run(here.check.check, here.check.file, check.params, options(check, check.machine), progress_);
        note(result, here.check.note);
        return result;
    } catch (const host::NoWorker& e) {
        return without(*session_.catalogue.check(check.check), e);
    }
}

host::Result WorkerRunner::run_halves(const Place& here, const runbook::PlannedCheck& check) {
    const host::CheckInfo& info = here.check.check;
    const auto alone = [&](const std::string& why) {
        host::Result result = here.client->run(info, here.check.file, check.params, options(check, check.machine), progress_);
        note(result, here.check.note);
        note(result, "this half ran alone: " + why);
        return result;
    };
    if (check.there.empty() && info.pair == host::Pair::wanted) return alone("nothing says which machine the other one is for");
    if (check.there.empty()) return host::not_run(info, "peer.unnamed", "it has another half, and its row has no other end");
    try {
        const Place there = place(check.there, check.check);
        there.client->hello();
        host::Result result =
            host::run_pair({*here.client, info, here.check.file, options(check, check.machine)},
                           {*there.client, there.check.check, there.check.file, options(check, check.there)}, check.params, progress_);
        note(result, here.check.note);
        note(result, there.check.note);
        return result;
    } catch (const host::NoWorker& e) {
        if (info.pair == host::Pair::wanted && e.code != "peer.protocol") return alone(fmt::format("{} ({})", e.what(), e.code));
        return without(info, e);
    }
}

std::optional<json> WorkerRunner::facts(const runbook::PlannedCheck& check) {
    try {
        const Place here = place(check.machine, check.check);
        auto facts = here.client->facts(here.check.check, here.check.file, check.params, options(check, check.machine));
        if (!facts || here.check.check.pair == host::Pair::no || check.there.empty()) return facts;
        const Place there = place(check.there, check.check);
        const auto far = there.client->facts(there.check.check, there.check.file, check.params, options(check, check.there), true);
        if (!far) return std::nullopt;
        for (const auto& [name, value] : far->items()) (*facts)["there." + name] = value;
        return facts;
    } catch (const host::NoWorker&) {  // the check that runs then says why
        return std::nullopt;
    }
}

std::vector<engine::Runner::Snapshot> WorkerRunner::snapshot(const runbook::PlannedCheck& check) {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::seconds(5);
    std::vector<std::string> machines = {check.machine};
    if (!check.there.empty() && check.there != check.machine) machines.push_back(check.there);
    std::vector<Snapshot> kept;
    for (const auto& plugin : session_.catalogue.plugins) {
        if (!plugin.snapshot || Clock::now() >= until) continue;
        std::vector<Place> places;
        std::vector<std::string> reached;
        for (const auto& machine : machines) {
            try {
                places.push_back(place(machine, plugin.snapshot->dotted()));
                reached.push_back(machine);
            } catch (const host::NoWorker& e) {
                kept.push_back({machine, plugin.name, without(*plugin.snapshot, e)});
            }
        }
        std::vector<host::PairEnd> ends;
        for (std::size_t i = 0; i < places.size(); ++i) {
            host::RunOptions bounded = options(check, reached[i]);
            const std::chrono::duration<double> left = until - Clock::now();
            bounded.timeout = std::max(0.1, left.count() - places[i].check.check.takes(json::object()));
            ends.push_back({*places[i].client, places[i].check.check, places[i].check.file, bounded});
        }
        auto results = host::run_beside(ends, json::object());
        for (std::size_t i = 0; i < results.size(); ++i) kept.push_back({reached[i], plugin.name, std::move(results[i])});
    }
    return kept;
}

host::RunOptions WorkerRunner::options(const runbook::PlannedCheck& check, const std::string& machine) const {
    host::RunOptions options;
    options.timeout = check.timeout;
    options.interrupt_fd = interrupt_fd_;
    options.root = common_.root;
    options.machine = machine;
    return options;
}

}  // namespace diag::cli
