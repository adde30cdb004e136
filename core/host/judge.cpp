#include "host/judge.hpp"

#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "host/channel.hpp"
#include "host/remedy.hpp"

namespace diag::host {
namespace {

// Why an answer does not count.
struct Objection {
    std::string code, reason, next;  // next: only where it says more than the cause's remedy
};
using Maybe = std::optional<Objection>;

struct Case {
    const CheckInfo& check;
    const Channel& channel;
    const json& end;

    std::string how() const { return end.value("how", ""); }
    std::string text() const { return end.value("text", ""); }
    // As the check gave it; "" where that is no text.
    std::string outcome() const {
        const json given = channel.verdict ? channel.verdict->value("outcome", json()) : json();
        return given.is_string() ? given.get<std::string>() : "";
    }
};

std::string signal_name(int number) {
    const char* name = ::sigabbrev_np(number);
    return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

// How the job ended, where that alone decides.
Maybe against_the_end(const Case& c) {
    const std::string how = c.how();
    if (how == "privilege") return Objection{"worker.privilege", c.text(), c.end.value("remedy", "")};
    if (how == "busy") return Objection{"machine.busy", c.text(), ""};
    if (how == "no-lock") return Objection{"machine.no-lock", c.text(), ""};
    if (how == "unseen") return Objection{"worker.unseen", c.text(), ""};
    if (how == "lost") return Objection{c.end.value("code", "worker.lost"), c.text(), ""};
    if (how == "not-started") return Objection{"worker.not-started", c.text(), ""};
    if (how == "cancelled") return Objection{"worker.interrupted", "it was stopped before it had ended", ""};
    if (how == "memory")
        return Objection{"worker.memory",
                         fmt::format("its processes held {} MiB when they were stopped", c.end.value("peak_memory", 0ULL) >> 20), ""};
    if (how == "output") return Objection{"worker.output", "it wrote more output than is kept, and was stopped", ""};
    if (how == "events")
        return Objection{"worker.events",
                         fmt::format("it sent too much on its channel, and was stopped{}{}", c.text().empty() ? "" : ": ", c.text()), ""};
    if (how == "signal") {
        const int signal = c.end.value("signal", 0);  // no program sends itself SIGKILL
        return Objection{
            "worker.signal", fmt::format("its process was ended by {}", signal_name(signal)),
            signal == SIGKILL ? "the kernel for want of memory, or somebody, killed it: journalctl -k --grep 'Out of memory'" : ""};
    }
    if (how == "deadline" && c.end.value("stuck", json::array()).empty())
        return Objection{"worker.deadline", fmt::format("it had not ended after {:.1f} s", c.end.value("seconds", 0.0)), ""};
    if (how != "exited" && how != "deadline")
        return Objection{"worker.lost", fmt::format("its job ended in an unknown way ('{}')", how), ""};
    return std::nullopt;
}

// What it threw, or that it did not load.
Maybe against_an_error(const Case& c) {
    if (!c.channel.error) return std::nullopt;
    const auto& [load, kind, text] = *c.channel.error;
    if (load) return Objection{"worker.load", fmt::format("{}: {}", kind, text), ""};
    if (kind == "memory") return Objection{"worker.memory", text, ""};
    if (kind == "no-such-check") return Objection{"worker.load", text, ""};
    if (kind == "companion") return Objection{"peer.companion-lost", text, ""};
    if (kind == "unknown") return Objection{"worker.unknown", text, ""};
    if (kind == "parameter") return Objection{"worker.parameter", text, ""};
    // What probes throw where a check declares no cause for it (on_absent, on_unreadable): nothing in the plugin needs mending.
    for (const std::string_view thrown : {"diag::Absent: ", "diag::Unreadable: "})
        if (text.starts_with(thrown)) return Objection{"worker.unreadable", text.substr(thrown.size()), ""};
    return Objection{"worker.exception", text, ""};
}

Maybe against_the_form(const Case& c) {
    if (!c.channel.junk.empty()) return Objection{"worker.junk", fmt::format("it sent {}", c.channel.junk), ""};
    if (auto objection = against_an_error(c)) return objection;
    const int status = c.end.value("status", 0);
    if (!c.channel.verdict && status != 0)
        return Objection{"worker.exit", fmt::format("it ended with status {} and gave no verdict", status), ""};
    if (!c.channel.verdict) return Objection{"worker.no-verdict", "it ended and gave no verdict", ""};
    const json& v = *c.channel.verdict;
    for (const char* key : {"outcome", "cause", "reason"})
        if (!v.contains(key) || !v[key].is_string()) return Objection{"worker.junk", fmt::format("its verdict has no '{}'", key), ""};
    const auto outcome = outcome_from(c.outcome());
    if (!outcome || outcome == Outcome::not_run) return Objection{"worker.junk", fmt::format("there is no outcome '{}'", c.outcome()), ""};
    if (v.contains("values") && !v["values"].is_object()) return Objection{"worker.junk", "its verdict's 'values' is no map", ""};
    return std::nullopt;
}

Maybe against_the_content(const Case& c) {
    if (!c.channel.bad_measurement.empty()) return Objection{"worker.measurement", c.channel.bad_measurement, ""};
    const std::string outcome = c.outcome(), cause = (*c.channel.verdict)["cause"];
    if (outcome == "fail" || outcome == "warn") {
        if (cause.empty()) return Objection{"worker.cause-missing", fmt::format("it gave '{}' without a cause", outcome), ""};
        if (c.check.cause(cause) == nullptr) return Objection{"worker.undeclared-cause", fmt::format("it gave the cause '{}'", cause), ""};
    }
    for (const auto& m : c.channel.said.measurements)
        if (!m.within && (outcome == "pass" || outcome == "skip"))
            return Objection{"worker.pass-outside-limit", fmt::format("it gave '{}', and '{}' is {} {}", outcome, m.name, m.value, m.unit),
                             ""};
    if ((*c.channel.verdict)["reason"].get_ref<const std::string&>().find_first_not_of(" \t\r\n") == std::string::npos)
        return Objection{"worker.reason-missing", fmt::format("it gave '{}' without a reason", outcome), ""};
    return std::nullopt;
}

std::string processes(std::size_t count) { return count == 1 ? "1 process" : fmt::format("{} processes", count); }

// What it left behind; `notes` is told where a fail stands nevertheless.
Maybe against_what_stayed(const Case& c, std::vector<std::string>& notes) {
    const std::size_t stuck = c.end.value("stuck", json::array()).size(), left = c.end.value("left_running", std::size_t{0});
    Maybe objection;
    if (c.end.contains("unseen"))
        objection = {"worker.unseen", "processes of it are left that /proc does not show, so they could not be ended", ""};
    else if (stuck > 0)
        objection = {"worker.stuck", fmt::format("{} of it could not be killed", processes(stuck)), ""};
    else if (left > 0)
        objection = {"worker.left-running", fmt::format("{} of it ran on after its end, and had to be killed", processes(left)), ""};
    if (!objection || c.outcome() != "fail") return objection;
    notes.push_back(fmt::format("{} ({})", objection->reason, objection->code));
    return std::nullopt;
}

void keep_output(Result& result, const char* name, const std::string& output) {
    if (output.empty()) return;
    bool replaced = false;
    result.evidence.push_back({name, base::clean_utf8(output, &replaced)});
    if (replaced) result.notes.push_back(fmt::format("invalid UTF-8 in its {} was replaced", name));
}

void keep_stuck(Result& result, const json& end) {
    std::string text;
    for (const auto& s : end.value("stuck", json::array()))
        text += fmt::format("process {} ({})\nwaits in: {}\nkernel stack:\n{}\n{}\n", s.value("pid", 0), s.value("name", ""),
                            s.value("wchan", ""), s.value("stack", ""), s.value("status", ""));
    if (!text.empty()) result.evidence.push_back({"stuck", text});
}

void set_cause(Result& result, const Cause& cause, const json& params, const json& values) {
    result.cause = cause.code;
    result.mover = cause.mover;
    result.meaning = cause.meaning;
    result.next = fill_remedy(cause.remedy, params, values);
}

void refuse(Result& result, const CheckInfo& check, const Objection& objection) {
    result.outcome = Outcome::not_run;
    result.reason = objection.reason;
    for (const auto& cause : host_causes())
        if (cause.code == objection.code) set_cause(result, cause, json::object(), {{"check", check.dotted()}});
    if (!objection.next.empty()) result.next = objection.next;
    if (is_verdict(objection.code)) result.outcome = Outcome::fail;
}

// On resume its pass counts again only where all of them are told and equal.
void note_untold_facts(Result& result, const CheckInfo& check) {
    for (const auto& name : check.reusable_while)
        if (!result.facts.contains(name))
            result.notes.push_back(fmt::format("it did not tell '{}', which its reuse hangs on: on resume it runs again", name));
}

void accept(Result& result, const CheckInfo& check, const json& params, const json& verdict) {
    result.outcome = *outcome_from(verdict["outcome"].get<std::string>());
    result.reason = verdict["reason"];
    const std::string cause = verdict["cause"];
    if (result.outcome == Outcome::fail || result.outcome == Outcome::warn)
        set_cause(result, *check.cause(cause), params, verdict.value("values", json::object()));
    else if (!cause.empty())
        result.notes.push_back(fmt::format("it named the cause '{}' beside '{}'", cause, to_text(result.outcome)));
    if (result.outcome == Outcome::pass) note_untold_facts(result, check);
}

}  // namespace

bool is_verdict(const std::string& code) { return code == "peer.protocol" || code == "peer.wrong-machine"; }

Result judge(const CheckInfo& check, const json& params, const Observed& observed) {
    const Channel channel = read_channel(observed.lines);
    const Case c{check, channel, observed.end};
    Result result = channel.said;
    result.seconds = observed.end.value("seconds", 0.0);
    keep_output(result, "stdout", observed.out);
    keep_output(result, "stderr", observed.err);
    keep_stuck(result, observed.end);
    Maybe objection = against_the_end(c);
    if (!objection && c.how() == "deadline") objection = against_what_stayed(c, result.notes);
    if (!objection) objection = against_the_form(c);
    if (!objection) objection = against_the_content(c);
    if (!objection) objection = against_what_stayed(c, result.notes);
    if (!objection) {
        accept(result, check, params, *channel.verdict);
        return result;
    }
    refuse(result, check, *objection);
    if (channel.verdict) result.notes.push_back(fmt::format("its own verdict, which does not count, was: {}", channel.verdict->dump()));
    return result;
}

Result not_run(const CheckInfo& check, const std::string& code, const std::string& reason) {
    Result result;
    refuse(result, check, {code, reason, ""});
    return result;
}

}  // namespace diag::host
