// The answer of a check: outcome, reason, cause.  Plain data; made by pass(), warn(), fail(), skip().
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <diag/fmt.hpp>

#include <diag/types.hpp>

namespace diag {

enum class Outcome { pass, warn, fail, skip };

struct Verdict {
    Outcome outcome = Outcome::skip;
    std::string cause;  // a declared code; empty for pass and skip
    std::string reason;
    json values = json::object();  // fills {placeholders} of the cause's remedy, beside the parameters

    // Names a value that the remedy mentions: fail(...).with("sender", address).
    Verdict&& with(const std::string& name, json value) && {
        values[name] = std::move(value);
        return std::move(*this);
    }
};

template <class... Args>
Verdict pass(fmt::format_string<Args...> format, Args&&... args) {
    return {Outcome::pass, "", fmt::format(format, std::forward<Args>(args)...)};
}
template <class... Args>
Verdict warn(std::string cause, fmt::format_string<Args...> format, Args&&... args) {
    return {Outcome::warn, std::move(cause), fmt::format(format, std::forward<Args>(args)...)};
}
template <class... Args>
Verdict fail(std::string cause, fmt::format_string<Args...> format, Args&&... args) {
    return {Outcome::fail, std::move(cause), fmt::format(format, std::forward<Args>(args)...)};
}
// The check could not apply here (no such path, a lab, a virtual device); never shown as a pass.
template <class... Args>
Verdict skip(fmt::format_string<Args...> format, Args&&... args) {
    return {Outcome::skip, "", fmt::format(format, std::forward<Args>(args)...)};
}

// Thrown by probes.  A check that declares on_absent()/on_unreadable() turns them into that cause;
// otherwise they end it as `not_run`.  Absent: it is not there.  Unreadable: it is there, and cannot be read.
struct Absent : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct Unreadable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Thrown by a check that asked and cannot tell: what() says what it got instead of an answer.  Ends it as `not_run`.
struct Unknown : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Thrown by Context::tell() and hear() of a check with two halves, where the other half is not there (any more).  It ends the
// half that judges as `not_run`; the half that serves lets it pass: its work is done.
struct CompanionGone : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace diag
