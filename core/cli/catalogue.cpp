// diag plugins and diag explain: the catalogue, as its plugins declare it.
#include <algorithm>
#include <cstdint>
#include <iostream>

#include <fmt/format.h>

#include <diag/units.hpp>

#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "cli/session.hpp"
#include "report/layout.hpp"

namespace diag::cli {
namespace {

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

// "1 s + 0.5 s * count + count*interval"; a duration parameter brings its own seconds.
std::string takes_text(const host::CheckInfo& check) {
    std::string text = units::show_duration(check.takes_seconds);
    for (const auto& [product, factor] : check.takes_per) {
        const auto is_duration = [&](const std::string& name) { return check.param(name)->type == ParamType::duration; };
        const std::string each = !std::ranges::any_of(host::takes_factors(product), is_duration) ? units::show_duration(factor) + " * "
                                 : factor != 1                                                   ? fmt::format("{:g} * ", factor)
                                                                                                 : "";
        text += " + " + each + printable(product);
    }
    return text;
}

std::string halves_text(host::Pair pair) {
    if (pair == host::Pair::needed) return "two: the other one runs at the other end of the row";
    if (pair == host::Pair::wanted) return "two: the other one runs at the other end of the row; where it cannot, this one runs alone";
    return "";
}

json document(const host::CheckInfo& check) {
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

void print_cause(const host::Cause& cause, const report::TextStyle& style) {
    std::cout << printable(cause.code) << "\n"
              << report::wrapped("   means     ", cause.meaning, style) << report::wrapped("   who       ", cause.mover, style)
              << report::wrapped("   next      ", cause.remedy, style);
}

void print_check(const host::CheckInfo& check, const report::TextStyle& style) {
    std::cout << printable(check.dotted()) << "\n" << report::wrapped("   ", check.title, style);
    if (!check.params.empty()) std::cout << "\nparameters\n";
    for (const auto& p : check.params) {
        const std::string bounds = host::bounds_text(p);
        std::cout << report::wrapped(fmt::format("   {:<12} {:<9} ", printable(p.name), to_text(p.type)),
                                     p.help + " (" + default_text(p) + (bounds.empty() ? ")" : "; " + bounds + ")"), style);
    }
    if (!check.needs.empty()) std::cout << fmt::format("\nneeds        {}\n", printable(fmt::format("{}", fmt::join(check.needs, ", "))));
    std::cout << fmt::format("takes        about {} with its defaults{}\n", units::show_duration(check.takes(json::object())),
                             check.exclusive      ? "; one at a time on a machine"
                             : check.side_by_side ? "; its rows may run at the same time"
                                                  : "");
    if (!check.takes_per.empty()) std::cout << report::wrapped("             ", takes_text(check), style);
    if (const auto halves = halves_text(check.pair); !halves.empty()) std::cout << report::wrapped("halves       ", halves, style);
    if (!check.reusable_while.empty())
        std::cout << report::wrapped(
            "reusable     ",
            fmt::format("on resume, while its parameters and these facts are equal: {}", fmt::join(check.reusable_while, ", ")), style);
    if (!check.columns.empty()) std::cout << "\ncolumns of the sheet\n";
    for (const auto& c : check.columns) std::cout << report::wrapped(fmt::format("   {:<28} ", printable(c.title)), c.from, style);
    if (!check.causes.empty()) std::cout << "\ncauses\n";
    for (const auto& c : check.causes) std::cout << report::wrapped(fmt::format("   {:<28} ", printable(c.code)), c.meaning, style);
}

const host::Cause* find_cause(const host::Catalogue& catalogue, const std::string& code, std::string& check) {
    const auto given_by = [&](const host::CheckInfo& info) {
        const auto* cause = info.cause(code);
        if (cause != nullptr) check = info.dotted();
        return cause;
    };
    for (const auto& plugin : catalogue.plugins) {
        for (const auto& info : plugin.checks)
            if (const auto* cause = given_by(info)) return cause;
        for (const auto* own : {&plugin.look, &plugin.snapshot})
            if (const auto* cause = *own ? given_by(**own) : nullptr) return cause;
    }
    for (const auto& cause : host::host_causes())
        if (cause.code == code) return &cause;
    return nullptr;
}

}  // namespace

int plugins_command(const Arguments& arguments) {
    CommandLine line(command_named("plugins"), Takes::plugins | Takes::output);
    if (!line.parse(arguments)) return 0;
    const Session session = open_session(line.common);
    if (line.common.format == "json") {
        json all = {{"plugins", json::array()}, {"refused", json::array()}};
        for (const auto& plugin : session.catalogue.plugins) {
            json checks = json::array();
            for (const auto& check : plugin.checks) checks.push_back(document(check));
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

int explain_command(const Arguments& arguments) {
    CommandLine line(command_named("explain"), Takes::plugins | Takes::output);
    line.positional(1, 1);
    if (!line.parse(arguments)) return 0;
    const std::string& name = line.words[0];
    const Session session = open_session(line.common);
    const bool as_json = line.common.format == "json";
    if (const auto* check = session.catalogue.check(name)) {
        if (as_json)
            std::cout << document(*check).dump(2, ' ', false, json::error_handler_t::replace) << "\n";
        else
            print_check(*check, line.common.style());
        return 0;
    }
    std::string given_by;
    if (const auto* cause = find_cause(session.catalogue, name, given_by)) {
        if (as_json)
            std::cout << json{{"code", cause->code},
                              {"mover", cause->mover},
                              {"meaning", cause->meaning},
                              {"remedy", cause->remedy},
                              {"check", given_by}}
                             .dump(2)
                      << "\n";
        else
            print_cause(*cause, line.common.style());
        if (!as_json && !given_by.empty()) std::cout << report::wrapped("   check     ", given_by, line.common.style());
        return 0;
    }
    auto known = session.catalogue.check_names();
    for (const auto& code : session.catalogue.cause_codes()) known.push_back(code);
    for (const auto& cause : host::host_causes()) known.push_back(cause.code);
    throw UsageError("nothing is called '" + printable(name) + "'" + base::did_you_mean(name, known) + " (diag plugins lists the checks)");
}

}  // namespace diag::cli
