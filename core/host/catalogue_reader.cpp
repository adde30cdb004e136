// read_catalogue(): a plugin's describe() text, checked field by field.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/json.hpp"
#include "host/catalogue.hpp"
#include "host/catalogue_rules.hpp"

namespace diag::host {
namespace {

// Where in the document, for the message: "check 'path': parameter 'mtu'".
struct Place {
    const json& at;
    std::string name;

    [[noreturn]] void refuse(const std::string& what) const { throw BadCatalogue(name.empty() ? what : name + ": " + what); }

    const json& field(const char* key) const {
        const auto found = at.is_object() ? at.find(key) : at.end();
        if (!at.is_object() || found == at.end()) refuse(fmt::format("'{}' is missing", key));
        return *found;
    }
    std::string text(const char* key) const {
        const json& value = field(key);
        if (!value.is_string()) refuse(fmt::format("'{}' is not a text", key));
        return value.get<std::string>();
    }
    bool flag(const char* key) const {
        const json& value = field(key);
        if (!value.is_boolean()) refuse(fmt::format("'{}' is neither true nor false", key));
        return value.get<bool>();
    }
    const json& list(const char* key) const {
        const json& value = field(key);
        if (!value.is_array()) refuse(fmt::format("'{}' is not a list", key));
        return value;
    }
    std::vector<std::string> texts(const char* key) const {
        std::vector<std::string> all;
        for (const auto& item : list(key)) {
            if (!item.is_string()) refuse(fmt::format("'{}' holds something that is not a text", key));
            all.push_back(item.get<std::string>());
        }
        return all;
    }
    // Catalogues made before there were bounds have none.
    std::optional<double> bound(const char* key) const {
        const auto found = at.find(key);
        if (found == at.end()) return std::nullopt;
        if (!found->is_number() || !std::isfinite(found->get<double>())) refuse(fmt::format("'{}' is not a number", key));
        return found->get<double>();
    }
    double seconds(const json& value, const std::string& key) const {
        if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0)
            refuse(fmt::format("'{}' is not a duration", key));
        return value.get<double>();
    }
};

// Lower-case words joined by what stands in `joints`: names end up in files, in commands and in YAML keys.
bool is_name(std::string_view text, std::string_view joints) {
    if (text.empty() || text.size() > 64 || text.front() < 'a' || text.front() > 'z') return false;
    return std::ranges::all_of(
        text, [&](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || joints.find(c) != std::string_view::npos; });
}

std::string name_in(const json& at, const std::string& where, const char* key, std::string_view joints) {
    const Place place{at, where};
    std::string name = place.text(key);
    if (!is_name(name, joints)) place.refuse(fmt::format("'{}' is no name: lower-case letters, digits and {} only", name, joints));
    return name;
}

Param read_param(const json& at, const std::string& check) {
    Param p;
    p.name = name_in(at, check, "name", "_-");
    const Place place{at, fmt::format("{}: parameter '{}'", check, p.name)};
    const std::string type = place.text("type"), missing = place.text("when_missing");
    const auto known = param_type(type);
    if (!known) place.refuse(fmt::format("there is no type '{}'", type));
    p.type = *known;
    p.help = place.text("help");
    if (missing == "required")
        p.when_missing = WhenMissing::required;
    else if (missing == "default")
        p.when_missing = WhenMissing::fallback;
    else if (missing == "optional")
        p.when_missing = WhenMissing::optional;
    else if (missing == "skip")
        p.when_missing = WhenMissing::skip;
    else
        place.refuse(fmt::format("'{}' says nothing about a missing value", missing));
    p.fallback = place.field("default");
    p.bounds = {place.bound("min"), place.bound("max")};
    if (p.when_missing != WhenMissing::fallback && !p.fallback.is_null()) place.refuse("it has a default that it does not use");
    return p;
}

Cause read_cause(const json& at, const std::string& check) {
    const std::string code = name_in(at, check, "code", "._-");
    const Place place{at, fmt::format("{}: cause '{}'", check, code)};
    if (code.find('.') == std::string::npos) place.refuse("a cause is written as area.what");
    Cause c{code, place.text("mover"), place.text("meaning"), place.text("remedy")};
    if (std::ranges::find(mover_names, c.mover) == mover_names.end()) place.refuse(fmt::format("there is no mover '{}'", c.mover));
    if (c.meaning.empty()) place.refuse("it has no meaning");
    return c;
}

// Catalogues made before there was a sheet have none.
std::vector<Column> read_columns(const Place& place, const CheckInfo& check) {
    std::vector<Column> columns;
    if (!place.at.contains("columns")) return columns;
    for (const auto& at : place.list("columns")) {
        const Place column{at, place.name + ": a column"};
        columns.push_back({column.text("title"), column.text("from")});
        const auto& [title, from] = columns.back();
        if (title.empty() || from.empty()) column.refuse("its title or its source is empty");
        if (from.starts_with("param.") && check.param(from.substr(6)) == nullptr)
            column.refuse(fmt::format("'{}' is filled from '{}', which is no parameter", title, from));
    }
    return columns;
}

void read_takes(const Place& place, CheckInfo& check) {
    const Place takes{place.field("takes"), place.name};
    check.takes_seconds = takes.seconds(takes.field("seconds"), "seconds");
    const json& per = takes.field("per");
    if (!per.is_object()) place.refuse("'per' is not a map");
    for (const auto& [product, factor] : per.items()) {
        for (const auto& name : takes_factors(product)) {
            const Param* param = check.param(name);
            if (param == nullptr) place.refuse(fmt::format("it takes time for each '{}', which is no parameter", name));
            if (param->type == ParamType::text || param->type == ParamType::boolean || param->type == ParamType::list)
                place.refuse(fmt::format("it takes time for each '{}', which is no number", name));
        }
        check.takes_per[product] = takes.seconds(factor, product);
    }
}

template <class Item>
void no_twins(const std::vector<Item>& items, std::string Item::*key, const std::string& where) {
    std::set<std::string> seen;
    for (const auto& item : items)
        if (!seen.insert(item.*key).second) throw BadCatalogue(fmt::format("{}: '{}' is declared twice", where, item.*key));
}

// Catalogues made before there were checks with two halves do not speak of them.
Pair read_pair(const Place& place, const json& at) {
    const std::string pair = at.contains("pair") ? place.text("pair") : "no";
    if (pair == "needed") return Pair::needed;
    if (pair == "wanted") return Pair::wanted;
    if (pair != "no") place.refuse(fmt::format("'{}' says nothing about another half", pair));
    return Pair::no;
}

// The causes that an escaping Absent or Unreadable stands for.  Catalogues made before these were told have neither.
void read_thrown(const Place& place, const CheckInfo& check) {
    for (const char* key : {"on_absent", "on_unreadable"})
        if (place.at.contains(key) && check.cause(place.text(key)) == nullptr)
            place.refuse(fmt::format("{}: it declares no cause '{}'", key, place.text(key)));
}

CheckInfo read_check(const json& at, const std::string& plugin) {
    CheckInfo check;
    check.plugin = plugin;
    check.name = name_in(at, "checks", "name", "_-");
    const Place place{at, fmt::format("check '{}'", check.name)};
    check.title = place.text("title");
    for (const auto& param : place.list("params")) check.params.push_back(read_param(param, place.name));
    for (const auto& cause : place.list("causes")) check.causes.push_back(read_cause(cause, place.name));
    no_twins(check.params, &Param::name, place.name);
    no_twins(check.causes, &Cause::code, place.name);
    read_thrown(place, check);
    check.columns = read_columns(place, check);
    no_twins(check.columns, &Column::title, place.name);
    check.needs = place.texts("needs");
    check.exclusive = place.flag("exclusive");
    check.side_by_side = place.flag("side_by_side");
    check.pair = read_pair(place, at);
    check.reusable_while = place.texts("reusable_while");
    read_takes(place, check);
    return check;
}

// Catalogues made before there were looks or snapshots have none.
std::optional<CheckInfo> read_beside(const json& document, const char* key, const std::string& plugin) {
    const auto at = document.find(key);
    if (at == document.end() || at->is_null()) return std::nullopt;
    return read_check(*at, plugin);
}

}  // namespace

PluginInfo read_catalogue(std::string_view describe) {
    json document;
    try {
        document = base::parse_json(describe);
    } catch (const base::BadJson& e) {
        throw BadCatalogue(fmt::format("the catalogue is not JSON: {}", e.what()));
    }
    const Place place{document, ""};
    PluginInfo plugin;
    plugin.name = name_in(document, "", "plugin", "_-");
    plugin.about = place.text("about");
    for (const auto& check : place.list("checks")) plugin.checks.push_back(read_check(check, plugin.name));
    no_twins(plugin.checks, &CheckInfo::name, fmt::format("plugin '{}'", plugin.name));
    for (const char* own : {"look", "snapshot"})
        if (std::ranges::find(plugin.checks, own, &CheckInfo::name) != plugin.checks.end())
            place.refuse(fmt::format("a check cannot be called '{}'", own));
    plugin.look = read_beside(document, "look", plugin.name);
    plugin.snapshot = read_beside(document, "snapshot", plugin.name);
    hold_to_rules(plugin);
    return plugin;
}

}  // namespace diag::host
