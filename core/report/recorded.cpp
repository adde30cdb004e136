#include "report/recorded.hpp"

#include <cmath>
#include <cstdint>

namespace diag::report {
namespace {

// A member of one of the verdict's maps; an older record may not have that map.
json member(const json& verdict, const char* map, const std::string& name) {
    const auto found = verdict.find(map);
    return found != verdict.end() && found->is_object() ? found->value(name, json()) : json();
}

}  // namespace

json plain_number(const json& measurement) {
    const double value = measurement["value"].get<double>(), whole = std::round(value);
    return (whole == value || measurement.value("unit", "") == "bit/s") && std::abs(value) < 9e15 ? json(static_cast<std::int64_t>(whole))
                                                                                                  : json(value);
}

std::vector<json> measurements_named(const json& verdict, const std::string& name) {
    std::vector<json> found;
    const auto all = verdict.find("measurements");
    if (all == verdict.end() || !all->is_array()) return found;
    for (const auto& m : *all)
        if (m.is_object() && m.value("name", "") == name && m.contains("value") && m["value"].is_number()) found.push_back(m);
    return found;
}

json recorded(const json& verdict, const std::string& from) {
    if (from.rfind("measured.", 0) == 0) {
        const auto found = measurements_named(verdict, from.substr(9));
        return found.empty() ? json() : plain_number(found.front());
    }
    if (from.rfind("param.", 0) == 0) return member(verdict, "params", from.substr(6));
    if (from.rfind("fact.", 0) == 0) return member(verdict, "facts", from.substr(5));
    return from;
}

}  // namespace diag::report
