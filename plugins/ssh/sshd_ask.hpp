// For tests only: ssh.login and ssh.logins asked against SshdLab's sshd.
#pragma once

#include <string>

#include <diag/testing.hpp>

#include "catch.hpp"
#include "sshd_lab.hpp"

extern "C" const diag_abi* diag_plugin_v1();

namespace diag::ssh::testing {

using diag::testing::Answer;

inline Answer login(const SshdLab& lab, json more = json::object()) {
    json params = {{"host", "127.0.0.1"}, {"config", lab.config()}};
    params.update(more);
    return diag::testing::ask(*diag_plugin_v1(), "login", params);
}

// The cause; "pass" where there is none.  A wrong one is shown with its reason and evidence.
inline std::string cause(const Answer& answer) {
    std::string text = answer.reason();
    for (const auto& event : answer.events)
        if (event["event"] == "evidence") text += "\n" + event["text"].get<std::string>();
    UNSCOPED_INFO(text);
    return answer.cause().empty() ? answer.outcome() : answer.cause();
}

inline std::string as(const SshdLab& lab, const std::string& user) { return cause(login(lab, {{"user", user}})); }

}  // namespace diag::ssh::testing
