#include "host/look.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/remedy.hpp"
#include "host/worker_session.hpp"

namespace diag::host {
namespace {

Thing& thing_of(Seen& seen, const std::string& kind, const std::string& name) {
    const auto same = [&](const Thing& t) { return t.kind == kind && t.name == name; };
    const auto found = std::ranges::find_if(seen.things, same);
    return found != seen.things.end() ? *found : seen.things.emplace_back(Thing{kind, name, {}});
}

void add_thing(const SeenThing& told, Seen& seen) {
    Thing& thing = thing_of(seen, told.kind, told.name);
    for (const auto& p : told.properties) {
        Property property{p.at("name"), p.at("text"), p.at("value")};
        if (p.at("site").is_object()) property.site_key = p["site"].at("key"), property.site_value = p["site"].at("value");
        thing.properties.push_back(std::move(property));
    }
}

const Cause* declared(const PluginInfo& plugin, const std::string& code) {
    if (const auto* own = plugin.look->cause(code)) return own;
    for (const auto& check : plugin.checks)
        if (const auto* cause = check.cause(code)) return cause;
    return nullptr;
}

json declared_of(const json& params, const CheckInfo& look) {
    json own = json::object();
    for (const auto& [name, value] : params.items())
        if (look.param(name) != nullptr) own[name] = value;
    return own;
}

}  // namespace

const Property* Thing::property(std::string_view property_name) const {
    const auto found = std::ranges::find(properties, property_name, &Property::name);
    return found == properties.end() ? nullptr : &*found;
}

std::vector<const Thing*> Seen::of_kind(std::string_view kind) const {
    std::vector<const Thing*> found;
    for (const auto& thing : things)
        if (thing.kind == kind) found.push_back(&thing);
    return found;
}

void add_look(const PluginInfo& plugin, const Result& result, Seen& seen) {
    for (const auto& thing : result.things) add_thing(thing, seen);
    for (const auto& wrong : result.wrong) {
        if (const auto* cause = declared(plugin, wrong.cause))
            seen.wrong.push_back({plugin.name, wrong.cause, cause->mover, cause->meaning, wrong.reason,
                                  fill_remedy(cause->remedy, json::object(), wrong.values)});
        else
            seen.blind.push_back(
                {plugin.name, "worker.undeclared-cause", fmt::format("it gave the cause '{}' for: {}", wrong.cause, wrong.reason), ""});
    }
    if (result.outcome == Outcome::not_run || result.outcome == Outcome::fail)
        seen.blind.push_back({plugin.name, result.cause, result.reason, result.next});
}

Seen look(WorkerClient& worker, const Catalogue& catalogue, const RunOptions& options, const json& params) {
    Seen seen;
    for (const auto& plugin : catalogue.plugins)
        if (plugin.look) add_look(plugin, worker.run(*plugin.look, plugin.file, declared_of(params, *plugin.look), options), seen);
    return seen;
}

Seen look_there(Peers& peers, const std::string& machine, const Catalogue& here, const RunOptions& options, const json& params) {
    Seen seen;
    WorkerClient& worker = *peers.client(machine);
    worker.hello();  // without a worker there is nothing to ask any plugin
    for (const auto& plugin : here.plugins) {
        if (!plugin.look) continue;
        try {
            const RemoteCheck remote = peers.find(machine, here, plugin.look->dotted());
            PluginInfo there = plugin;
            there.look = remote.check;
            add_look(there, worker.run(remote.check, remote.file, declared_of(params, remote.check), options), seen);
        } catch (const NoWorker& e) {
            if (e.code != "peer.plugin-missing") throw;
            seen.blind.push_back({plugin.name, e.code, e.what(), ""});
        }
    }
    return seen;
}

}  // namespace diag::host
