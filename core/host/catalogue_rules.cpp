#include "host/catalogue_rules.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest.hpp"
#include "base/need.hpp"

namespace diag::host {
namespace {

using Names = std::vector<std::string>;

std::string prefix_of(const std::string& code) { return code.substr(0, code.find('.')); }

// Whoever reads a code must know whose it is.
void own_name(const PluginInfo& plugin) {
    for (const auto& cause : host_causes())
        if (prefix_of(cause.code) == plugin.name)
            throw BadCatalogue(fmt::format("plugin '{}': that name is diag's own, for causes such as {}", plugin.name, cause.code));
}

[[noreturn]] void refuse(const CheckInfo& check, const std::string& what) {
    throw BadCatalogue(fmt::format("check '{}': {}", check.name, what));
}

void sound_param(const CheckInfo& check, const Param& param) {
    const auto no = [&](const std::string& what) { refuse(check, fmt::format("parameter '{}': {}", param.name, what)); };
    const auto& [low, high] = param.bounds;
    if (low && high && *low > *high) no(fmt::format("no value lies within {} and {}", *low, *high));
    if (param.when_missing != WhenMissing::fallback) return;
    const char* range = param.type == ParamType::fraction ? ", which goes from 0 to 1" : "";
    if (!fits(param.type, param.fallback))
        no(fmt::format("its default, {}, is not of type {}{}", param.fallback.dump(), to_text(param.type), range));
    if (param.fallback.is_number() && !param.bounds.holds(param.fallback.get<double>()))
        no(fmt::format("its default, {}, is outside its own bounds, {}", param.fallback.dump(), bounds_text(param)));
}

void known_need(const CheckInfo& check, const std::string& need) {
    if (std::ranges::find(base::plain_needs, need) != base::plain_needs.end() || base::program_need(need)) return;
    Names known(base::plain_needs.begin(), base::plain_needs.end());
    const std::string near = base::did_you_mean(need, known);
    refuse(check, fmt::format("it needs '{}'{}; there are {}, program:NAME and program:NAME=PACKAGE", need, near, fmt::join(known, ", ")));
}

// A text that stands as it is may be anything but a source that is misspelt.
void known_source(const CheckInfo& check, const Column& column) {
    const Names sources = {"measured", "param", "fact"};
    const auto dot = column.from.find('.');
    if (dot == std::string::npos || column.from.find(' ') != std::string::npos) return;
    const std::string source = column.from.substr(0, dot);
    if (std::ranges::find(sources, source) != sources.end()) return;
    if (const std::string near = base::did_you_mean(source, sources); !near.empty())
        refuse(check, fmt::format("a column: '{}' is filled from '{}'{}", column.title, column.from, near));
}

using Meanings = std::map<std::string, std::pair<const CheckInfo*, const Cause*>>;

void own_cause(const CheckInfo& check, const Cause& cause, Meanings& meanings) {
    if (prefix_of(cause.code) != check.plugin)
        refuse(check, fmt::format("cause '{}': a cause begins with its plugin's name: {}.what", cause.code, check.plugin));
    const auto [at, is_first] = meanings.try_emplace(cause.code, &check, &cause);
    const auto& [first, same] = at->second;
    if (!is_first && (same->meaning != cause.meaning || same->mover != cause.mover))
        refuse(check, fmt::format("cause '{}': it means something else in check '{}'", cause.code, first->name));
}

void hold(const CheckInfo& check, Meanings& meanings) {
    for (const auto& param : check.params) sound_param(check, param);
    for (const auto& cause : check.causes) own_cause(check, cause, meanings);
    for (const auto& need : check.needs) known_need(check, need);
    for (const auto& column : check.columns) known_source(check, column);
    if (check.exclusive && check.side_by_side) refuse(check, "it is exclusive, so its rows cannot run side by side");
}

}  // namespace

void hold_to_rules(const PluginInfo& plugin) {
    own_name(plugin);
    Meanings meanings;
    for (const auto& check : plugin.checks) hold(check, meanings);
    for (const auto* own : {&plugin.look, &plugin.snapshot})
        if (*own) hold(**own, meanings);
}

}  // namespace diag::host
