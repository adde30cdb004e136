#include "host/catalogue.hpp"

#include <algorithm>
#include <cstdint>

namespace diag::host {

double CheckInfo::takes(const json& given) const {
    const auto value_of = [&](const std::string& name) {
        const auto at = given.find(name);
        const Param* declared = param(name);
        const json value = at != given.end() ? *at : declared != nullptr ? declared->fallback : json();
        return value.is_number() ? std::max(0.0, value.get<double>()) : 0.0;
    };
    double seconds = takes_seconds;
    for (const auto& [product, factor] : takes_per) {
        double units = factor;
        for (const auto& name : takes_factors(product)) units *= value_of(name);
        seconds += units;
    }
    return seconds;
}

std::vector<std::string> takes_factors(std::string_view product) {
    std::vector<std::string> names;
    for (;;) {
        const auto star = product.find('*');
        names.emplace_back(product.substr(0, star));
        if (star == std::string_view::npos) return names;
        product.remove_prefix(star + 1);
    }
}

std::string bounds_text(const Param& param) {
    const auto shown = [&](double bound) {
        if (param.type == ParamType::duration && bound > 0) return units::show_duration(bound);
        if (param.type == ParamType::rate) return units::show_rate({static_cast<std::int64_t>(bound)});
        return fmt::format("{:.15g}", bound);
    };
    const auto& [low, high] = param.bounds;
    if (low && high) return shown(*low) + " to " + shown(*high);
    if (low) return "at least " + shown(*low);
    return high ? "at most " + shown(*high) : "";
}

const Param* CheckInfo::param(std::string_view param_name) const {
    const auto at = std::ranges::find(params, param_name, &Param::name);
    return at == params.end() ? nullptr : &*at;
}

const Cause* CheckInfo::cause(std::string_view code) const {
    const auto at = std::ranges::find(causes, code, &Cause::code);
    return at == causes.end() ? nullptr : &*at;
}

const CheckInfo* check_in(const PluginInfo& plugin, std::string_view dotted) {
    for (const auto* own : {&plugin.look, &plugin.snapshot})
        if (*own && (*own)->dotted() == dotted) return &**own;
    const auto found = std::ranges::find_if(plugin.checks, [&](const CheckInfo& check) { return check.dotted() == dotted; });
    return found == plugin.checks.end() ? nullptr : &*found;
}

const CheckInfo* Catalogue::check(std::string_view dotted) const {
    for (const auto& plugin : plugins)
        for (const auto& check : plugin.checks)
            if (check.dotted() == dotted) return &check;
    return nullptr;
}

const PluginInfo* Catalogue::plugin_of(std::string_view dotted) const {
    const auto at = std::ranges::find(plugins, dotted.substr(0, dotted.find('.')), &PluginInfo::name);
    return at == plugins.end() ? nullptr : &*at;
}

std::vector<std::string> Catalogue::check_names() const {
    std::vector<std::string> names;
    for (const auto& plugin : plugins)
        for (const auto& check : plugin.checks) names.push_back(check.dotted());
    return names;
}

std::vector<std::string> Catalogue::cause_codes() const {
    std::vector<std::string> codes;
    for (const auto& cause : host_causes()) codes.push_back(cause.code);
    const auto add = [&](const CheckInfo& check) {
        for (const auto& cause : check.causes) codes.push_back(cause.code);
    };
    for (const auto& plugin : plugins) {
        for (const auto& check : plugin.checks) add(check);
        for (const auto* own : {&plugin.look, &plugin.snapshot})
            if (*own) add(**own);
    }
    std::ranges::sort(codes);
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    return codes;
}

}  // namespace diag::host
