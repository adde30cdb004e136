#include "cli/runner.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "base/ssh_command.hpp"
#include "base/utf8.hpp"
#include "host/judge.hpp"
#include "host/worker_session.hpp"

namespace diag::cli {
namespace {

constexpr std::size_t workers_here = 8;  // each about as heavy as the program that its check runs

host::Result without(const host::CheckInfo& check, const host::NoWorker& why) { return host::not_run(check, why.code, why.what()); }

// Which plugins were asked, at both ends: facts that no check has to tell.
void add_plugins(json& facts, const host::RemoteCheck& here, const host::RemoteCheck* there) {
    const auto digest = [](const host::RemoteCheck& check) { return check.sha256.substr(0, 12); };
    facts["plugin"] = digest(here);
    if (there != nullptr) facts["there.plugin"] = digest(*there);
}

}  // namespace

void tell_whose_login() {
    static const bool told = [] {
        const auto user = base::invoking_user();
        if (!user.name.empty())
            std::cerr << fmt::format("ssh runs as {}, who called sudo: with that user's keys, known hosts and {}\n",
                                     base::printable(user.name), user.agent.empty() ? "configuration; no agent was found" : "agent");
        return true;
    }();
    static_cast<void>(told);
}

host::WhoIs who_is(const runbook::Site& site) {
    return [site = std::make_shared<const runbook::Site>(site)](const json& hello) -> std::string {
        try {
            return runbook::this_machine(*site, hello.value("machine", ""), hello.value("host_name", ""));
        } catch (const runbook::RunbookError&) {
            return "";
        }
    };
}

host::Peers peers_of(const std::optional<runbook::Site>& site, const std::string& machine) {
    if (!site) return host::Peers();
    host::Peers peers(who_is(*site));
    for (const auto& peer : site->machines)
        if (peer.key != machine) peers.add(peer.key, {runbook::ssh_host(*site, peer), site->ssh_user, site->ssh_config});
    return peers;
}

WorkerRunner::Place WorkerRunner::place(const std::string& machine, const std::string& check) {
    const auto* plugin = session_.catalogue.plugin_of(check);
    const auto* info = plugin == nullptr ? nullptr : host::check_in(*plugin, check);
    if (info == nullptr || plugin == nullptr) throw std::logic_error("a plan names a check that is not in the catalogue: " + check);
    if (machine == machine_) return {session_.worker.get(), {*info, plugin->file, plugin->sha256, ""}};
    if (!common_.root.empty())
        throw host::NoWorker("peer.unavailable", "this belongs to " + machine + ", and a captured tree (--root) is of one machine");
    host::WorkerClient* peer = peers_.client(machine);
    if (peer == nullptr) throw std::logic_error("a plan names a machine that is not in the site file: " + machine);
    tell_whose_login();
    return {peer, peers_.find(machine, session_.catalogue, check)};
}

void WorkerRunner::log_in(const std::vector<const runbook::PlannedCheck*>& checks) {
    std::vector<host::WorkerClient*> all;
    const auto add = [&](const std::string& machine) {
        auto* peer = machine == machine_ ? nullptr : peers_.client(machine);
        if (peer != nullptr && std::ranges::find(all, peer) == all.end()) all.push_back(peer);
    };
    for (const auto* check : checks) {
        const auto* info = session_.catalogue.check(check->check);
        add(check->machine);
        if (info != nullptr && info->pair != host::Pair::no) add(check->there);
    }
    if (all.empty()) return;
    tell_whose_login();
    const auto each = [&](std::size_t first, const auto& ask) {
        for (std::size_t i = first; i < std::min(first + host::logins_at_once, all.size()); ++i) try {
                ask(*all[i]);
            } catch (const host::NoWorker&) {  // it throws the same when it is asked something
            }
    };
    for (std::size_t first = 0; first < all.size(); first += host::logins_at_once) {
        each(first, [](host::WorkerClient& peer) { peer.begin(); });
        each(first, [](host::WorkerClient& peer) { peer.hello(); });
    }
}

host::Result WorkerRunner::run(const runbook::PlannedCheck& check) { return run_beside({&check}).front(); }

std::vector<host::Result> WorkerRunner::run_beside(const std::vector<const runbook::PlannedCheck*>& checks) {
    if (checks.size() > 1 && common_.root.empty()) log_in(checks);
    std::vector<Prepared> prepared;
    prepared.reserve(checks.size());
    for (const auto* check : checks) prepared.push_back(prepare(*check));
    std::vector<host::Question> questions;
    std::size_t turn = 0;
    for (std::size_t i = 0; i < checks.size(); ++i)
        if (!prepared[i].result) questions.push_back(question(*checks[i], prepared[i], turn));
    auto answers = host::ask_all(questions, progress_);
    std::vector<host::Result> results;
    auto answer = answers.begin();
    for (auto& p : prepared) {
        host::Result result = p.result ? *p.result : std::move(*answer++);
        result.notes.insert(result.notes.end(), p.notes.begin(), p.notes.end());
        if (p.here && !p.here->check.check.reusable_while.empty())
            add_plugins(result.facts, p.here->check, p.there ? &p.there->check : nullptr);
        results.push_back(std::move(result));
    }
    return results;
}

host::WorkerClient& WorkerRunner::next_worker(const Place& place, std::size_t& turn) {
    if (place.client != session_.worker.get()) return *place.client;
    const std::size_t which = turn++ % workers_here;
    if (which == 0) return *session_.worker;
    while (session_.beside.size() < which) session_.beside.push_back(worker_here());
    return *session_.beside[which - 1];
}

host::Question WorkerRunner::question(const runbook::PlannedCheck& check, const Prepared& prepared, std::size_t& turn) {
    const auto end = [&](const Place& place, const std::string& machine) {
        host::RunOptions own = options(check, machine);
        own.alone_because = prepared.alone_because;
        return host::PairEnd{next_worker(place, turn), place.check.check, place.check.file, own};
    };
    const auto here = end(*prepared.here, check.machine);
    std::optional<host::PairEnd> there;
    if (prepared.there) there.emplace(end(*prepared.there, check.there));
    return {here, there, check.params};
}

WorkerRunner::Prepared WorkerRunner::prepare(const runbook::PlannedCheck& check) {
    Prepared prepared;
    try {
        prepared.here = place(check.machine, check.check);
    } catch (const host::NoWorker& e) {
        prepared.result = without(*session_.catalogue.check(check.check), e);
        return prepared;
    }
    if (!prepared.here->check.note.empty()) prepared.notes.push_back(prepared.here->check.note);
    if (prepared.here->check.check.pair != host::Pair::no) prepare_there(check, prepared);
    return prepared;
}

void WorkerRunner::prepare_there(const runbook::PlannedCheck& check, Prepared& prepared) {
    const host::CheckInfo& info = prepared.here->check.check;
    std::string why_alone, code = "peer.unnamed";
    if (check.there.empty()) {
        why_alone = "it has another half, and nothing says on which machine";
    } else {
        try {
            prepared.there = place(check.there, check.check);
            prepared.there->client->hello();
            if (!prepared.there->check.note.empty()) prepared.notes.push_back(prepared.there->check.note);
            return;
        } catch (const host::NoWorker& e) {
            prepared.there.reset();
            why_alone = e.what();
            code = e.code;
        }
    }
    if (code != "peer.unnamed") prepared.alone_because = why_alone;
    if (info.pair == host::Pair::wanted && !host::is_verdict(code))
        prepared.notes.push_back(fmt::format("this half ran alone: {} ({})", why_alone, code));
    else
        prepared.result = host::not_run(info, code, why_alone);
}

std::optional<json> WorkerRunner::facts(const runbook::PlannedCheck& check) {
    try {
        const Place here = place(check.machine, check.check);
        auto facts = here.client->facts(here.check.check, here.check.file, check.params, options(check, check.machine));
        if (facts) add_plugins(*facts, here.check, nullptr);
        if (!facts || here.check.check.pair == host::Pair::no || check.there.empty()) return facts;
        const Place there = place(check.there, check.check);
        const auto far = there.client->facts(there.check.check, there.check.file, check.params, options(check, check.there), true);
        if (!far) return std::nullopt;
        for (const auto& [name, value] : far->items()) (*facts)["there." + name] = value;
        add_plugins(*facts, here.check, &there.check);
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
            const std::chrono::duration<double> left = until - Clock::now();
            host::WorkerClient* peer = machine == machine_ ? nullptr : peers_.client(machine);
            try {
                if (peer != nullptr && !peer->greet(left.count())) throw host::NoWorker("peer.unreachable", "no login within 5 s");
                places.push_back(place(machine, plugin.snapshot->dotted()));
                reached.push_back(machine);
            } catch (const host::NoWorker& e) {
                kept.push_back({machine, plugin.name, without(*plugin.snapshot, e)});
            }
        }
        std::vector<host::Question> questions;
        for (std::size_t i = 0; i < places.size(); ++i) {
            host::RunOptions bounded = options(check, reached[i]);
            const std::chrono::duration<double> left = until - Clock::now();
            bounded.timeout = std::max(0.1, left.count() - places[i].check.check.takes(json::object()));
            questions.push_back({{*places[i].client, places[i].check.check, places[i].check.file, bounded}, std::nullopt, json::object()});
        }
        auto results = host::ask_all(questions);
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
