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
            {"request",
             {{"check", check.name},
              {"params", params},
              {"root", options.root},
              {"machine", options.machine},
              {"alone_because", options.alone_because}}},
            {"deadline", check.takes(params) + options.timeout},
            {"needs", check.needs},
            {"exclusive", check.exclusive},
            {"limits", options.limits}};
}

double lock_wait(const CheckInfo& check, const RunOptions& options) {
    return check.exclusive ? options.limits.value("lock_wait", worker::Limits{}.lock_wait) : 0;
}

}  // namespace

struct WorkerClient::Impl {
    Impl(std::vector<std::string> argv, std::string peer, WrongMachine wrong)
        : session(std::move(argv), std::move(peer), std::move(wrong)) {}
    Observed job(const json& request, double longest, int interrupt_fd = -1, const Progress& progress = {}) {
        std::vector<Run> only;
        only.emplace_back(Half{&session, "", request}, longest);
        run_all(only, interrupt_fd, progress);
        return only.front().here().job.observed;
    }
    WorkerSession session;
};

WorkerClient::WorkerClient(std::vector<std::string> argv, std::string peer, WrongMachine wrong)
    : impl_(std::make_unique<Impl>(std::move(argv), std::move(peer), std::move(wrong))) {}
WorkerClient::~WorkerClient() = default;

void WorkerClient::begin() { impl_->session.begin(); }
bool WorkerClient::greet(double seconds) {
    return impl_->session.greet(std::chrono::duration_cast<WorkerSession::Clock::duration>(std::chrono::duration<double>(seconds)));
}
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
    return ask_all({{{*this, check, file, options}, std::nullopt, params}}, progress).front();
}

namespace {

Half half_of(WorkerSession& session, const PairEnd& own, const json& params) {
    return {&session, own.options.machine, run_request(own.check, own.file, params, own.options)};
}

void pair_up(Half& half, const char* name, const std::string& companion, double wait) {
    half.request["paired"] = true;
    half.request["request"]["half"] = name;
    half.request["request"]["companion"] = companion;
    half.request["deadline"] = half.request["deadline"].get<double>() + wait;  // the other one may wait for its machine
}

}  // namespace

std::vector<Result> ask_all(const std::vector<Question>& questions, const Progress& progress) {
    std::vector<Run> runs;
    int interrupt_fd = -1;
    for (const auto& q : questions) {
        interrupt_fd = q.here.options.interrupt_fd;
        Half here = half_of(q.here.client.impl_->session, q.here, q.params);
        const double wait = lock_wait(q.here.check, q.here.options);
        const double longest = here.request["deadline"].get<double>() + wait;
        if (!q.there) {
            runs.emplace_back(std::move(here), longest);
            continue;
        }
        Half there = half_of(q.there->client.impl_->session, *q.there, q.params);
        pair_up(here, "here", there.machine, wait);
        pair_up(there, "there", here.machine, wait);
        runs.emplace_back(std::move(here), std::move(there), longest + wait);
    }
    std::vector<Result> results;
    if (base::readable(interrupt_fd)) {
        for (const auto& q : questions)
            results.push_back(not_run(q.here.check, "worker.interrupted", "it was stopped before it had begun"));
        return results;
    }
    run_all(runs, interrupt_fd, progress);
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const Question& q = questions[i];
        Result result = judge(q.here.check, q.params, runs[i].here().job.observed);
        if (q.there)
            result = join(std::move(result), judge(q.there->check, q.params, runs[i].there()->job.observed), q.there->options.machine);
        results.push_back(std::move(result));
    }
    return results;
}

}  // namespace diag::host
