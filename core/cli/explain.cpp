// diag explain: a check and its parameters, a cause and its remedy, or the list of all or of one family.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <diag/units.hpp>

#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "cli/catalogue.hpp"
#include "cli/session.hpp"
#include "report/layout.hpp"

namespace diag::cli {
namespace {

using base::printable;

void print_cause(const host::Cause& cause, const report::TextStyle& style) {
    std::cout << printable(cause.code) << "\n"
              << report::wrapped("   means     ", cause.meaning, style) << report::wrapped("   who       ", cause.mover, style)
              << report::wrapped("   next      ", cause.remedy, style);
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

void print_check(const host::CheckInfo& check, const report::TextStyle& style) {
    std::cout << printable(check.dotted()) << "\n" << report::wrapped("   ", check.title, style);
    if (!check.params.empty()) std::cout << "\nparameters\n";
    for (const auto& p : check.params) {
        const std::string bounds = host::bounds_text(p);
        std::cout << report::wrapped(fmt::format("   {:<15} {:<16} ", printable(p.name), to_text(p.type)),
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

// A plugin's checks, and what else of it has causes of its own: its look and its snapshot.
std::vector<const host::CheckInfo*> with_causes(const host::PluginInfo& plugin) {
    std::vector<const host::CheckInfo*> all;
    for (const auto& check : plugin.checks) all.push_back(&check);
    for (const auto* own : {&plugin.look, &plugin.snapshot})
        if (*own && !(*own)->causes.empty()) all.push_back(&**own);
    return all;
}

const host::Cause* find_cause(const host::Catalogue& catalogue, const std::string& code, std::string& check) {
    for (const auto& plugin : catalogue.plugins)
        for (const auto* info : with_causes(plugin))
            if (const auto* cause = info->cause(code)) {
                check = info->dotted();
                return cause;
            }
    for (const auto& cause : host::host_causes())
        if (cause.code == code) return &cause;
    return nullptr;
}

std::string family(const std::string& dotted) { return dotted.substr(0, dotted.find('.')); }

// What a word without a dot names: a plugin, or the first part of codes.
struct Family {
    std::vector<const host::CheckInfo*> checks;
    std::vector<host::Cause> host;  // the host's own
    bool empty() const { return checks.empty() && host.empty(); }
};

// "" : all there is.
Family family_of(const host::Catalogue& catalogue, const std::string& word) {
    Family found;
    for (const auto& plugin : catalogue.plugins)
        for (const auto* check : with_causes(plugin))
            if (word.empty() || plugin.name == word) found.checks.push_back(check);
    std::ranges::copy_if(host::host_causes(), std::back_inserter(found.host),
                         [&](const host::Cause& cause) { return word.empty() || family(cause.code) == word; });
    return found;
}

// One line; on a terminal cut to its width, elsewhere whole, so that it can be searched.
void print_line(const std::string& indent, const std::string& name, const std::string& text, const report::TextStyle& style) {
    const std::string line =
        fmt::format("{}{} {}", indent, report::padded(printable(name), std::max<std::size_t>(28, name.size())), printable(text));
    const bool cut = ::isatty(STDOUT_FILENO) == 1 && base::columns(line) > style.width;
    std::cout << (cut ? report::padded(line, style.width) : line) << "\n";
}

void print_family(const Family& listed, const report::TextStyle& style) {
    for (const auto* check : listed.checks) {
        print_line("", check->dotted(), check->title, style);
        for (const auto& cause : check->causes) print_line("   ", cause.code, cause.meaning, style);
    }
    if (!listed.host.empty())
        print_line("", "diag itself", "What it says of checks that came to no answer, of peers and of plugins", style);
    for (const auto& cause : listed.host) print_line("   ", cause.code, cause.meaning, style);
}

json document(const host::Cause& cause, const std::string& check) {
    return {{"code", cause.code}, {"mover", cause.mover}, {"meaning", cause.meaning}, {"remedy", cause.remedy}, {"check", check}};
}

json document(const Family& listed) {
    json doc = {{"checks", json::array()}, {"host", json::array()}};
    for (const auto* check : listed.checks) doc["checks"].push_back(check_document(*check));
    for (const auto& cause : listed.host) doc["host"].push_back(document(cause, ""));
    return doc;
}

void print_json(const json& doc) { std::cout << doc.dump(2, ' ', false, json::error_handler_t::replace) << "\n"; }

[[noreturn]] void refuse(const host::Catalogue& catalogue, const std::string& name) {
    auto known = catalogue.check_names();
    for (const auto& code : catalogue.cause_codes()) known.push_back(code);
    if (family(name) == name) {  // a word without a dot is a family's
        for (auto& word : known) word = family(word);
    }
    throw UsageError("nothing is called '" + printable(name) + "'" + base::did_you_mean(name, known) +
                     " (diag explain lists the checks and causes)");
}

}  // namespace

int explain_command(const Arguments& arguments) {
    CommandLine line(command_named("explain"), Takes::plugins | Takes::format);
    line.positional(0, 1);
    if (!line.parse(arguments)) return 0;
    const std::string name = line.words.empty() ? "" : line.words[0];
    const Session session = open_session(line.common);
    const bool as_json = line.common.format == "json";
    const auto style = line.common.style();
    if (const auto* check = session.catalogue.check(name)) {
        as_json ? print_json(check_document(*check)) : print_check(*check, style);
        return 0;
    }
    std::string given_by;
    if (const auto* cause = find_cause(session.catalogue, name, given_by)) {
        as_json ? print_json(document(*cause, given_by)) : print_cause(*cause, style);
        if (!as_json && !given_by.empty()) std::cout << report::wrapped("   check     ", given_by, style);
        return 0;
    }
    const Family listed = family_of(session.catalogue, name);
    if (listed.empty()) refuse(session.catalogue, name);
    as_json ? print_json(document(listed)) : print_family(listed, style);
    return 0;
}

}  // namespace diag::cli
