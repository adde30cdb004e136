// diag plugins: the catalogue, as its plugins declare it.
#include <cstdint>
#include <iostream>

#include <fmt/format.h>

#include <diag/units.hpp>

#include "base/utf8.hpp"
#include "cli/catalogue.hpp"
#include "cli/session.hpp"
#include "report/layout.hpp"

namespace diag::cli {

using base::printable;

std::string default_text(const host::Param& param) {
    switch (param.when_missing) {
        case host::WhenMissing::required:
            return "required";
        case host::WhenMissing::optional:
            return "optional";
        case host::WhenMissing::skip:
            return "without it the check is skipped";
        case host::WhenMissing::fallback:
            break;
    }
    if (param.type == ParamType::duration) return "default " + units::show_duration(param.fallback.get<double>());
    if (param.type == ParamType::rate) return "default " + units::show_rate({param.fallback.get<std::int64_t>()});
    return "default " + (param.fallback.is_string() ? printable(param.fallback.get<std::string>()) : printable(param.fallback.dump()));
}

json check_document(const host::CheckInfo& check) {
    json doc = {{"check", check.dotted()},
                {"title", check.title},
                {"needs", check.needs},
                {"exclusive", check.exclusive},
                {"side_by_side", check.side_by_side},
                {"pair", check.pair == host::Pair::needed   ? "needed"
                         : check.pair == host::Pair::wanted ? "wanted"
                                                            : "no"},
                {"reusable_while", check.reusable_while},
                {"takes", {{"seconds", check.takes_seconds}, {"per", check.takes_per}}},
                {"params", json::array()},
                {"causes", json::array()},
                {"columns", json::array()}};
    for (const auto& p : check.params)
        doc["params"].push_back({{"name", p.name},
                                 {"type", to_text(p.type)},
                                 {"help", p.help},
                                 {"default", p.fallback},
                                 {"missing", default_text(p)},
                                 {"bounds", host::bounds_text(p)}});
    for (const auto& c : check.causes)
        doc["causes"].push_back({{"code", c.code}, {"mover", c.mover}, {"meaning", c.meaning}, {"remedy", c.remedy}});
    for (const auto& c : check.columns) doc["columns"].push_back({{"title", c.title}, {"from", c.from}});
    return doc;
}

int plugins_command(const Arguments& arguments) {
    CommandLine line(command_named("plugins"), Takes::plugins | Takes::format);
    if (!line.parse(arguments)) return 0;
    const Session session = open_session(line.common);
    if (line.common.format == "json") {
        json all = {{"plugins", json::array()}, {"refused", json::array()}};
        for (const auto& plugin : session.catalogue.plugins) {
            json checks = json::array();
            for (const auto& check : plugin.checks) checks.push_back(check_document(check));
            all["plugins"].push_back(
                {{"name", plugin.name}, {"about", plugin.about}, {"file", plugin.file}, {"sha256", plugin.sha256}, {"checks", checks}});
        }
        for (const auto& r : session.catalogue.refusals)
            all["refused"].push_back({{"file", r.file}, {"code", r.code}, {"reason", r.reason}});
        std::cout << all.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
        return 0;
    }
    const auto style = line.common.style();
    for (const auto& plugin : session.catalogue.plugins) {
        std::cout << printable(plugin.name) << "  " << printable(plugin.file) << "\n";
        for (const auto& check : plugin.checks)
            std::cout << report::wrapped(fmt::format("   {:<18} ", printable(check.dotted())), check.title, style);
    }
    if (session.catalogue.plugins.empty()) std::cout << "no plugins\n";
    return 0;
}

}  // namespace diag::cli
