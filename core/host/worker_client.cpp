#include "host/worker_client.hpp"

#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "host/channel.hpp"
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

}  // namespace

struct WorkerClient::Impl {
    explicit Impl(std::vector<std::string> argv) : session(std::move(argv)) {}

    PluginInfo describe(const std::string& file, const std::string& sha256) {
        const Observed observed = session.job({{"op", "describe"}, {"file", file}, {"deadline", describe_deadline}}, describe_deadline);
        PluginInfo plugin = read_catalogue(described(observed));
        plugin.file = file;
        plugin.sha256 = sha256;
        return plugin;
    }

    WorkerSession session;
};

WorkerClient::WorkerClient(std::vector<std::string> argv) : impl_(std::make_unique<Impl>(std::move(argv))) {}
WorkerClient::~WorkerClient() = default;

Catalogue WorkerClient::load(const std::vector<std::string>& dirs) {
    Catalogue catalogue;
    const json found = impl_->session.find(dirs);
    for (const auto& refused : found.at("refused"))
        catalogue.refusals.push_back({refused.at("file"), refused.at("code"), refused.at("reason")});
    std::set<std::string> digests;  // the same file in two folders is one plugin
    for (const auto& entry : found.at("plugins")) {
        const std::string file = entry.at("file"), sha256 = entry.at("sha256");
        if (!digests.insert(sha256).second) continue;
        try {
            catalogue.plugins.push_back(impl_->describe(file, sha256));
        } catch (const Refused& e) {
            catalogue.refusals.push_back({file, e.code, e.what()});
        } catch (const BadCatalogue& e) {
            catalogue.refusals.push_back({file, "plugin.catalogue", e.what()});
        }
    }
    drop_namesakes(catalogue);
    return catalogue;
}

std::optional<json> WorkerClient::facts(const CheckInfo& check, const std::string& file, const json& params, const RunOptions& options) {
    const double deadline = options.timeout;
    const json request = {
        {"op", "run"},
        {"file", file},
        {"request", {{"check", check.name}, {"params", params}, {"root", options.root}, {"machine", options.machine}, {"facts", true}}},
        {"deadline", deadline},
        {"needs", json::array()},
        {"limits", options.limits}};
    try {
        const Result result = judge(check, params, impl_->session.job(request, deadline, options.interrupt_fd));
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
    const double deadline = check.takes(params) + options.timeout;
    const double lock_wait = check.exclusive ? options.limits.value("lock_wait", worker::Limits{}.lock_wait) : 0;
    const json request = {{"op", "run"},
                          {"file", file},
                          {"request", {{"check", check.name}, {"params", params}, {"root", options.root}, {"machine", options.machine}}},
                          {"deadline", deadline},
                          {"needs", check.needs},
                          {"exclusive", check.exclusive},
                          {"limits", options.limits}};
    if (base::readable(options.interrupt_fd)) return not_run(check, "worker.interrupted", "it was stopped before it had begun");
    try {
        return judge(check, params, impl_->session.job(request, deadline + lock_wait, options.interrupt_fd, progress));
    } catch (const std::runtime_error& e) {
        return not_run(check, "worker.lost", e.what());
    } catch (const json::exception& e) {
        return not_run(check, "worker.lost", fmt::format("the worker sent something unexpected: {}", e.what()));
    }
}

}  // namespace diag::host
