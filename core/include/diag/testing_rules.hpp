// The host's rules for an answer, for tests that run without a host: what would not count there must not look good here.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <diag/fmt.hpp>
#include <diag/types.hpp>

namespace diag::testing::detail {

struct Objection {
    std::string code, reason;  // code: one of the host's own causes
};
using Maybe = std::optional<Objection>;

// Of a check, the look or the snapshot; null where there is none such.
inline json entry_of(const json& catalogue, const std::string& check) {
    for (const auto& entry : catalogue.at("checks"))
        if (entry.at("name") == check) return entry;
    return check == "look" || check == "snapshot" ? catalogue.value(check, json()) : json();
}

// Throws std::invalid_argument where no runbook could give the check this.
inline void insist_on_params(const json& entry, const json& params) {
    std::map<std::string, json> declared;
    for (const auto& param : entry.value("params", json::array())) declared[param.at("name")] = param;
    for (const auto& item : params.items()) {
        const std::string name = item.key();
        const json& value = item.value();
        const auto at = declared.find(name);
        const auto refuse = [&](const std::string& what) {
            throw std::invalid_argument(fmt::format("check '{}': parameter '{}'{}", entry.at("name").get<std::string>(), name, what));
        };
        if (at == declared.end()) refuse(", which it does not declare");
        const json& param = at->second;
        const auto bound = [&](const char* key) { return param.contains(key) ? std::optional(param[key].get<double>()) : std::nullopt; };
        if (value.is_null()) continue;
        if (!fits(*param_type(param.at("type").get<std::string>()), value))
            refuse(fmt::format(": {} is not of type {}", value.dump(), param["type"].get<std::string>()));
        if (value.is_number() && !Limit{bound("min"), bound("max")}.holds(value.get<double>()))
            refuse(fmt::format(": {} is out of its bounds", value.dump()));
    }
}

inline Maybe against_an_error(const json& event) {
    static const std::map<std::string, std::string> codes = {{"memory", "worker.memory"},
                                                             {"no-such-check", "worker.load"},
                                                             {"companion", "peer.companion-lost"},
                                                             {"unknown", "worker.unknown"},
                                                             {"parameter", "worker.parameter"}};
    const std::string kind = event.at("kind"), text = event.at("text");
    if (const auto at = codes.find(kind); at != codes.end()) return Objection{at->second, text};
    for (const std::string thrown : {"diag::Absent: ", "diag::Unreadable: "})
        if (text.starts_with(thrown)) return Objection{"worker.unreadable", text.substr(thrown.size())};
    return Objection{"worker.exception", text};
}

inline std::optional<double> number_in(const json& event, const char* key) {
    return event.contains(key) && event[key].is_number() ? std::optional(event[key].get<double>()) : std::nullopt;
}

// `units`: of what was measured before.
inline Maybe against_a_measurement(const json& m, std::map<std::string, json>& units) {
    const auto bad = [&](const char* what) {
        return Objection{"worker.measurement", fmt::format("'{}': {}", m.at("name").get<std::string>(), what)};
    };
    const auto value = number_in(m, "value"), min = number_in(m, "min"), max = number_in(m, "max");
    if (!value) return bad("its value is not a number");
    if ((!min && !m.value("min", json()).is_null()) || (!max && !m.value("max", json()).is_null())) return bad("its limit is not a number");
    if (min && max && *min > *max) return bad("no value can keep to its limits");
    if (const auto [at, first] = units.try_emplace(m["name"], m.at("unit")); !first && at->second != m["unit"])
        return bad("it has two units");
    return std::nullopt;
}

inline Maybe against_a_verdict(const json& causes, const std::vector<json>& events, const json& verdict) {
    const std::string outcome = verdict.at("outcome"), cause = verdict.at("cause"), reason = verdict.at("reason");
    if (outcome == "warn" || outcome == "fail") {
        if (cause.empty()) return Objection{"worker.cause-missing", fmt::format("it gave '{}' without a cause", outcome)};
        if (!causes.contains(cause)) return Objection{"worker.undeclared-cause", fmt::format("it gave the cause '{}'", cause)};
    } else {
        for (const auto& m : events)
            if (m.at("event") == "measurement" && !Limit{number_in(m, "min"), number_in(m, "max")}.holds(m.at("value").get<double>()))
                return Objection{"worker.pass-outside-limit", fmt::format("it gave '{}' though '{}' is {}", outcome,
                                                                          m.at("name").get<std::string>(), m.at("value").dump())};
    }
    if (reason.find_first_not_of(" \t\r\n") == std::string::npos)
        return Objection{"worker.reason-missing", fmt::format("it gave '{}' without a reason", outcome)};
    return std::nullopt;
}

// The causes that the entry may give; a look those of the checks, too.
inline json causes_of(const json& catalogue, const json& entry) {
    json causes = json::object();
    const auto add = [&](const json& one) {
        for (const auto& cause : one.value("causes", json::array())) causes[cause.at("code").get<std::string>()] = cause;
    };
    add(entry);
    if (entry.value("name", "") == "look")
        for (const auto& check : catalogue.at("checks")) add(check);
    return causes;
}

// Why the host would not count what `check` sent.
inline Maybe objection(const json& catalogue, const std::string& check, const std::vector<json>& events) {
    const json entry = entry_of(catalogue, check);
    const json causes = entry.is_null() ? json::object() : causes_of(catalogue, entry);
    const json* verdict = nullptr;
    std::map<std::string, json> units;
    Maybe bad;
    for (const auto& event : events) {
        const std::string kind = event.at("event");
        if (kind == "error") return against_an_error(event);
        if (kind == "verdict") verdict = &event;
        if (kind == "measurement" && !bad) bad = against_a_measurement(event, units);
        if (kind == "wrong" && !bad && !causes.contains(event.at("cause").get<std::string>()))
            bad = {"worker.undeclared-cause", fmt::format("it gave the cause {}", event["cause"].dump())};
    }
    if (verdict == nullptr) return Objection{"worker.no-verdict", "it ended and gave no verdict"};
    return bad ? bad : against_a_verdict(causes, events, *verdict);
}

}  // namespace diag::testing::detail
