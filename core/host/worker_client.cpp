#include "host/worker_client.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "host/channel.hpp"
#include "host/halves.hpp"
#include "host/join.hpp"
#include "host/judge.hpp"
#include "host/worker_session.hpp"
#include "worker/request.hpp"

namespace diag::host {
namespace {

constexpr double describe_deadline = 5;  // seconds

struct Refused : std::runtime_error {
    Refused(std::string the_code, const std::string& reason) : std::runtime_error(reason), code(std::move(the_code)) {}
    std::string code;
};

// What a describe job gave, or why it gave nothing.
std::string described(const Observed& observed) {
    const Channel channel = read_channel(observed.lines);
    if (channel.error && channel.error->load) throw Refused(channel.error->kind, channel.error->text);
    const CheckInfo none;
    const Result result = judge(none, json::object(), observed);
    if (result.cause != "worker.no-verdict") throw Refused("plugin.describe", fmt::format("asked what it offers: {}", result.reason));
    if (!channel.catalogue) throw Refused("plugin.describe", "asked what it offers, it said nothing");
    return *channel.catalogue;
}

// Plugins of one name that are not one file: neither can be meant.
void drop_namesakes(Catalogue& catalogue) {
    std::map<std::string, std::string> first;
    std::set<std::string> ambiguous;
    for (const auto& plugin : catalogue.plugins) {
        const auto [at, is_first] = first.try_emplace(plugin.name, plugin.file);
        if (is_first) continue;
        ambiguous.insert(plugin.name);
        catalogue.refusals.push_back(
            {plugin.file, "plugin.duplicate", fmt::format("plugin '{}' is both {} and {}", plugin.name, at->second, plugin.file)});
    }
    std::erase_if(catalogue.plugins, [&](const PluginInfo& plugin) { return ambiguous.contains(plugin.name); });
}

// A run request; `half` "" for a check without two.
json run_request(const CheckInfo& check, const std::string& file, const json& params, const RunOptions& options) {
    return {{"op", "run"},
            {"file", file},
            {"request", {{"check", check.name}, {"params", params}, {"root", options.root}, {"machine", options.machine}}},
            {"deadline", check.takes(params) + options.timeout},
            {"needs", check.needs},
            {"exclusive", check.exclusive},
            {"limits", options.limits}};
}

double lock_wait(const CheckInfo& check, const RunOptions& options) {
    return check.exclusive ? options.limits.value("lock_wait", worker::Limits{}.lock_wait) : 0;
}

// A peer's worker that was lost may be frozen, with what it started running on: a new one ends it.
void end_lost_worker(WorkerSession& session, const Observed& observed) {
    if (observed.end.value("code", "") != "peer.lost") return;
    try {
        session.hello();
    } catch (const NoWorker&) {  // the machine itself is gone: nothing of ours is reached there
    }
}

// What a check comes to whose worker cannot be had.  Another protocol is a fault of the setup, and known: a fail.
Result without_worker(const CheckInfo& check, const NoWorker& why) {
    Result result = not_run(check, why.code, why.what());
    if (why.code == "peer.protocol") result.outcome = Outcome::fail;
    return result;
}

}  // namespace

struct WorkerClient::Impl {
    Impl(std::vector<std::string> argv, std::string peer) : session(std::move(argv), std::move(peer)) {}
    Observed job(const json& request, double longest, int interrupt_fd = -1, const Progress& progress = {}) {
        Half only{session, "", request};
        run_job(only, longest, interrupt_fd, progress);
        end_lost_worker(session, only.job.observed);
        return std::move(only.job.observed);
    }
    WorkerSession session;
};

WorkerClient::WorkerClient(std::vector<std::string> argv, std::string peer)
    : impl_(std::make_unique<Impl>(std::move(argv), std::move(peer))) {}
WorkerClient::~WorkerClient() = default;

void WorkerClient::begin() { impl_->session.begin(); }
const json& WorkerClient::hello() { return impl_->session.hello(); }
json WorkerClient::find(const std::vector<std::string>& dirs) { return impl_->session.find(dirs); }

PluginInfo WorkerClient::describe(const std::string& file, const std::string& sha256) {
    const Observed observed = impl_->job({{"op", "describe"}, {"file", file}, {"deadline", describe_deadline}}, describe_deadline);
    PluginInfo plugin = read_catalogue(described(observed));
    plugin.file = file;
    plugin.sha256 = sha256;
    return plugin;
}

Catalogue WorkerClient::load(const std::vector<std::string>& dirs) {
    Catalogue catalogue;
    const json found = find(dirs);
    for (const auto& refused : found.at("refused"))
        catalogue.refusals.push_back({refused.at("file"), refused.at("code"), refused.at("reason")});
    std::set<std::string> digests;  // the same file in two folders is one plugin
    for (const auto& entry : found.at("plugins")) {
        const std::string file = entry.at("file"), sha256 = entry.at("sha256");
        if (!digests.insert(sha256).second) continue;
        try {
            catalogue.plugins.push_back(describe(file, sha256));
        } catch (const Refused& e) {
            catalogue.refusals.push_back({file, e.code, e.what()});
        } catch (const BadCatalogue& e) {
            catalogue.refusals.push_back({file, "plugin.catalogue", e.what()});
        }
    }
    drop_namesakes(catalogue);
    return catalogue;
}

std::optional<json> WorkerClient::facts(const CheckInfo& check, const std::string& file, const json& params, const RunOptions& options,
                                        bool there) {
    json request = run_request(check, file, params, options);
    request["request"]["facts"] = true;
    if (there) request["request"]["half"] = "there";
    request["deadline"] = options.timeout;
    request["needs"] = json::array();
    request["exclusive"] = false;
    try {
        const Result result = judge(check, params, impl_->job(request, options.timeout, options.interrupt_fd));
        if (result.outcome != Outcome::pass) return std::nullopt;
        for (const auto& name : check.reusable_while)
            if (!result.facts.contains(name)) return std::nullopt;
        return result.facts;
    } catch (const std::runtime_error&) {  // a worker that died tells no facts; the check that runs then says why
        return std::nullopt;
    }
}

Result WorkerClient::run(const CheckInfo& check, const std::string& file, const json& params, const RunOptions& options,
                         const Progress& progress) {
    const json request = run_request(check, file, params, options);
    if (base::readable(options.interrupt_fd)) return not_run(check, "worker.interrupted", "it was stopped before it had begun");
    try {
        const double longest = request["deadline"].get<double>() + lock_wait(check, options);
        return judge(check, params, impl_->job(request, longest, options.interrupt_fd, progress));
    } catch (const NoWorker& e) {
        return without_worker(check, e);
    } catch (const std::runtime_error& e) {
        return not_run(check, "worker.lost", e.what());
    } catch (const json::exception& e) {
        return not_run(check, "worker.lost", fmt::format("the worker sent something unexpected: {}", e.what()));
    }
}

std::vector<Result> run_beside(const std::vector<PairEnd>& ends, const json& params) {
    std::vector<Half> jobs;
    double longest = 0;
    for (const auto& end : ends) {
        jobs.push_back({end.client.impl_->session, end.options.machine, run_request(end.check, end.file, params, end.options)});
        longest = std::max(longest, jobs.back().request["deadline"].get<double>());
    }
    run_beside(jobs, longest, ends.empty() ? -1 : ends.front().options.interrupt_fd, {});
    std::vector<Result> results;
    for (std::size_t i = 0; i < ends.size(); ++i) results.push_back(judge(ends[i].check, params, jobs[i].job.observed));
    return results;
}

Result run_pair(const PairEnd& here, const PairEnd& there, const json& params, const Progress& progress) {
    const int interrupt_fd = here.options.interrupt_fd;
    if (base::readable(interrupt_fd)) return not_run(here.check, "worker.interrupted", "it was stopped before it had begun");
    const double wait = std::max(lock_wait(here.check, here.options), lock_wait(there.check, there.options));
    const auto half = [&](const PairEnd& own, const PairEnd& other, const char* name) {
        Half half{own.client.impl_->session, own.options.machine, run_request(own.check, own.file, params, own.options)};
        half.request["paired"] = true;
        half.request["request"]["half"] = name;
        half.request["request"]["companion"] = other.options.machine;
        half.request["deadline"] = half.request["deadline"].get<double>() + wait;  // the other one may wait for its machine
        return half;
    };
    Half near = half(here, there, "here"), far = half(there, here, "there");
    try {
        run_halves(near, far, near.request["deadline"].get<double>() + wait, interrupt_fd, progress);
        for (Half* half : {&near, &far}) end_lost_worker(half->session, half->job.observed);
    } catch (const NoWorker& e) {
        return without_worker(here.check, e);
    } catch (const std::runtime_error& e) {
        return not_run(here.check, "worker.lost", e.what());
    } catch (const json::exception& e) {
        return not_run(here.check, "worker.lost", fmt::format("a worker sent something unexpected: {}", e.what()));
    }
    return join(judge(here.check, params, near.job.observed), judge(there.check, params, far.job.observed), there.options.machine);
}

}  // namespace diag::host
