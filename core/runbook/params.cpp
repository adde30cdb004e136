#include "runbook/params.hpp"

#include "base/nearest.hpp"
#include "runbook/fields.hpp"

namespace diag::runbook {
namespace {

using host::Param;
using host::WhenMissing;

std::string described(const Param& param) { return "'" + param.name + "' (" + std::string(to_text(param.type)) + ": " + param.help + ")"; }

json typed_list(const Node& value) {
    if (!value.is_list()) throw BadValue("expected a list such as [" + (value.is_scalar() ? value.text : std::string("a, b")) + "]");
    json items = json::array();
    for (const auto& item : value.list) {
        if (!item.is_scalar()) throw BadValue("expected a list of single values; one of them is " + item.shown());
        items.push_back(item.text);
    }
    return items;
}

// Throws BadValue.
json typed(ParamType type, const Node& value) {
    if (type == ParamType::list) return typed_list(value);
    if (value.is_scalar()) return typed_value(type, value.text);
    throw BadValue("expected one value (" + std::string(to_text(type)) + ")");
}

class Filler {
  public:
    Filler(const host::CheckInfo& check, const Item& item, const Scope& scope, const std::set<std::string>& used, PlannedCheck& planned,
           Findings& findings)
        : check_(check), item_(item), scope_(scope), used_(used), planned_(planned), findings_(findings) {}

    void refuse_unknown() const {
        std::vector<std::string> names;
        for (const auto& param : check_.params) names.push_back(param.name);
        for (const auto& [key, value] : item_.params.map) {
            if (check_.param(key.text) != nullptr) continue;
            const std::string near = base::did_you_mean(key.text, names);
            const std::string has = names.empty() ? "; it has none" : "; it has " + listed(names);
            findings_.error(key.mark, check_.dotted() + " has no parameter '" + key.text + "'" + (near.empty() ? has : near));
        }
    }

    void fill(const Param& param) {
        const Node* written = item_.params.find(param.name);
        if (written == nullptr) return not_written(param);
        if (written->is_null())
            return findings_.error(written->mark,
                                   "'" + param.name + "' of " + check_.dotted() + " has no value; give one, or leave the key out");
        try {
            const Resolved resolved = scope_.expand(*written);
            if (resolved.state == Resolved::State::value) store(param, *written, resolved.node);
            if (resolved.state == Resolved::State::absent) absent(param, *written, resolved);
        } catch (const RunbookError& e) {
            findings_.add_all(e);
        }
    }

  private:
    void store(const Param& param, const Node& written, const Node& value) {
        try {
            json given = typed(param.type, value);
            if (given.is_number() && !param.bounds.holds(given.get<double>())) throw BadValue("expected " + host::bounds_text(param));
            planned_.params[param.name] = std::move(given);
        } catch (const BadValue& e) {
            const bool own = to_text(value.mark) == to_text(written.mark);
            findings_.error(written.mark, "'" + param.name + "' of " + check_.dotted() + ": " + e.what() + ", not " + value.shown() +
                                              (own ? "" : " (from " + to_text(value.mark) + ")"));
        }
    }

    void not_written(const Param& param) {
        if (param.when_missing == WhenMissing::fallback) planned_.params[param.name] = param.fallback;
        if (param.when_missing == WhenMissing::required || param.when_missing == WhenMissing::skip)
            findings_.error(item_.mark, check_.dotted() + " needs " + described(param));
    }

    // The runbook asks the site file or a setting for it, and that does not say.
    void absent(const Param& param, const Node& written, const Resolved& value) {
        const std::string near = value.near.empty() ? "" : "; did you mean '" + value.near + "'?";
        const std::string where = value.missing + near + " (" + to_text(value.at) + ")";
        if (param.when_missing == WhenMissing::required)
            return findings_.error(written.mark, check_.dotted() + " needs " + described(param) + ", and " + where);
        if (param.when_missing == WhenMissing::fallback) planned_.params[param.name] = param.fallback;
        if (param.when_missing == WhenMissing::skip && planned_.skip.empty()) planned_.skip = value.missing;
        const bool falls_back = param.when_missing == WhenMissing::fallback;
        if (!near.empty() && used_.count(value.near) == 0)
            findings_.warn(written.mark, "'" + param.name + "' of " + check_.dotted() + ": " + where +
                                             (falls_back ? "; its default, " + param.fallback.dump() + ", is used" : ""));
    }

    const host::CheckInfo& check_;
    const Item& item_;
    const Scope& scope_;
    const std::set<std::string>& used_;
    PlannedCheck& planned_;
    Findings& findings_;
};

}  // namespace

void fill_params(const host::CheckInfo& check, const Item& item, const Scope& scope, const std::set<std::string>& used,
                 PlannedCheck& planned, Findings& findings) {
    Filler filler(check, item, scope, used, planned, findings);
    filler.refuse_unknown();
    for (const auto& param : check.params) filler.fill(param);
}

}  // namespace diag::runbook
