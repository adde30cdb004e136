// One login, judged: did a command run without a question, did exactly its answer come back, and is a launcher's login as good.
// Pure; the texts come from world.hpp.
#pragma once

#include <string>
#include <vector>

#include "classify.hpp"

namespace diag::ssh {

struct LoginFinding {
    Verdict verdict;
    std::string asked, saw, evidence;
    bool in = false;  // the command's answer came back
};

// `nonce`: the line, without its end, that went to `cat` by stdin.
LoginFinding judge_login(const Case& c, const std::string& nonce);

// Several, by name: the worst verdict speaks, with how many of how many it holds for; equal answers are one line of evidence.
LoginFinding judge_logins(const std::vector<std::pair<std::string, LoginFinding>>& logins);

}  // namespace diag::ssh
