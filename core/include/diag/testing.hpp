// Runs one check of a plugin inside a test, without a host: ask(*diag_plugin_v1(), "disk", {{"path", "/"}}).
// Parameters are given as a check receives them (types.hpp, typed_value); defaults are filled in.  The answer is judged by the
// host's rules (testing_rules.hpp): what would be `not_run` there is `not_run` here, under the same cause.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <diag/abi.h>
#include <diag/testing_rules.hpp>
#include <diag/types.hpp>

namespace diag::testing {

struct Answer {
    json verdict = json::object();  // {"outcome","cause","reason","values"}: what the host makes of its own one among the events
    json error = json::object();    // {"kind","text"} when the check threw
    std::vector<json> events;       // everything it sent, in order
    std::string outcome() const { return verdict.value("outcome", "none"); }
    std::string cause() const { return verdict.value("cause", ""); }
    std::string reason() const { return verdict.value("reason", error.value("text", "")); }
    void take(const json& event) {
        events.push_back(event);
        if (event["event"] == "verdict") verdict = event;
        if (event["event"] == "error") error = event;
    }
    // All that it sent has been taken.
    void judge(const json& catalogue, const std::string& check) {
        if (const auto objection = detail::objection(catalogue, check, events))
            verdict = {{"event", "verdict"},
                       {"outcome", "not_run"},
                       {"cause", objection->code},
                       {"reason", objection->reason},
                       {"values", json::object()}};
    }
    // The last value measured under `name`.  Throws std::out_of_range where there is none.
    double measured(const std::string& name) const {
        for (auto it = events.rbegin(); it != events.rend(); ++it)
            if ((*it)["event"] == "measurement" && (*it)["name"] == name) return (*it)["value"];
        throw std::out_of_range("no measurement " + name);
    }
};

// The check's parameters with its defaults.  Throws std::invalid_argument for one that it does not declare, of another type or
// out of its bounds.
inline json whole_params(const json& catalogue, const std::string& check, json params) {
    const json entry = detail::entry_of(catalogue, check);
    if (entry.is_null()) return params;
    detail::insist_on_params(entry, params);
    for (const auto& p : entry.at("params"))
        if (!p.at("default").is_null() && !params.contains(p.at("name"))) params[p["name"].get<std::string>()] = p["default"];
    return params;
}

inline Answer ask(const diag_abi& abi, const std::string& check, json params = json::object(), const std::string& root = "") {
    const json catalogue = json::parse(abi.describe());
    params = whole_params(catalogue, check, std::move(params));
    const int channel = ::memfd_create("diag-testing", MFD_CLOEXEC);
    if (channel < 0) throw std::runtime_error("memfd_create failed");
    abi.run(json{{"check", check}, {"params", params}, {"root", root}}.dump().c_str(), channel);
    std::string text(static_cast<std::size_t>(::lseek(channel, 0, SEEK_END)), '\0');
    const bool whole = ::pread(channel, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
    ::close(channel);
    if (!whole) throw std::runtime_error("the channel could not be read back");
    Answer answer;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) answer.take(json::parse(line));
    answer.judge(catalogue, check);
    return answer;
}

}  // namespace diag::testing
