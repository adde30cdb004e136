// The judgement of names.resolve over a World: which of its causes holds.  No sockets, no files.
#pragma once

#include <optional>
#include <string>

#include <diag/verdict.hpp>

#include "world.hpp"

namespace diag::names {

struct ResolveQuestion {
    std::string name;
    std::optional<std::string> interface;  // by which its addresses are to be reached
    std::optional<std::string> own;        // this machine's own name
    std::optional<std::string> address;    // that the name is to have
};

struct ResolveFinding {
    Verdict verdict;
    std::string asked, saw, evidence;
};

ResolveFinding judge_resolve(const ResolveQuestion& question, World& world);

}  // namespace diag::names
