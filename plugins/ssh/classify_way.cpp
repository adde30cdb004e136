// Up to the peer's identification: this side's files, the name, TCP, the greeting.
#include <array>

#include "base/utf8.hpp"
#include "classify.hpp"

namespace diag::ssh {
namespace {

// "Bad owner or permissions on PATH"
std::string last_word(const std::string& line) { return line.substr(line.rfind(' ') + 1); }

std::string err_line(const Case& c) {
    const auto lines = words_of(c.answer.err);
    return lines.empty() ? "" : excerpt(lines.back());
}

struct Refusal {
    const char *said, *cause, *told;
};

// errno of connect(), as strerror writes it.  EACCES: a prohibit route; EINVAL: a blackhole route (fib_props[] in
// net/ipv4/fib_semantics.c).  EHOSTUNREACH: no neighbour, or an ICMP answer.
constexpr std::array<Refusal, 9> refusals = {{
    {"Connection refused", "ssh.refused", "refuses the connection"},
    {"Connection timed out", "ssh.timeout", "does not answer"},
    {"Operation timed out", "ssh.timeout", "does not answer"},
    {"No route to host", "ssh.no-route", "cannot be reached: nobody has that address, or a router or firewall says no (No route to host)"},
    {"Network is unreachable", "ssh.no-route", "cannot be reached: this machine has no route to it (Network is unreachable)"},
    {"Permission denied", "ssh.no-route", "cannot be reached: a route of this machine prohibits it (Permission denied)"},
    {"Operation not permitted", "ssh.no-route", "cannot be reached: this machine's own firewall forbids it (Operation not permitted)"},
    {"Invalid argument", "ssh.no-route", "cannot be reached: a blackhole route of this machine takes it (Invalid argument)"},
    {"Connection reset by peer", "ssh.refused", "resets the connection"},
}};

std::optional<Verdict> refused_connect(const Case& c) {
    std::optional<std::string> line;
    for (const auto& said : c.trace.words)
        if (said.starts_with("ssh: connect to host ")) line = said;  // the last address counts
    if (!line) return std::nullopt;
    for (const auto& r : refusals)
        if (line->ends_with(r.said)) return fail(r.cause, "{} {}", peer(c), r.told);
    return fail("ssh.failed", "no connection to {}: '{}'", peer(c), base::printable(*line));
}

std::optional<Verdict> refused_config(const Case& c) {
    if (const auto line = word(c, "Bad owner or permissions on "))
        return fail("ssh.permissions", "ssh refuses its configuration {}: others may change it, or it is not the user's", last_word(*line))
            .with("path", last_word(*line));
    for (const auto* said : {"Can't open user config file", "Bad configuration option", "terminating, ", "keyword ",
                             "garbage at end of line", "Bad yes/no", "unsupported option", "missing argument", "no argument after keyword"})
        if (const auto line = word(c, said)) return fail("ssh.config-invalid", "ssh does not accept its configuration: '{}'", *line);
    return std::nullopt;
}

}  // namespace

std::optional<Verdict> ended_on_this_side(const Case& c) {
    if (c.trace.stage != Stage::started) return std::nullopt;
    if (auto verdict = refused_config(c)) return verdict;
    if (const auto line = word(c, "Could not resolve hostname ")) {
        const std::size_t colon = line->rfind(": ");
        return fail("ssh.name-unresolved", "{} has no address here: {}", c.host, line->substr(colon + 2));
    }
    if (c.answer.timed_out)
        return fail("ssh.name-unresolved",
                    "after {:.0f} s ssh had not found out what {} is: the resolver, or a Match exec line of the "
                    "configuration, does not answer",
                    c.answer.seconds, c.host);
    return std::nullopt;
}

std::optional<Verdict> ended_on_the_way(const Case& c) {
    if (c.trace.stage >= Stage::greeted) return std::nullopt;
    if (!c.trace.proxy.empty() && c.trace.greeting.empty()) {
        const std::string said = err_line(c);
        return fail("ssh.proxy-failed", "no connection to {}: {}", peer(c),
                    said.empty() ? "the proxy says nothing" : fmt::format("'{}'", said));
    }
    if (auto verdict = refused_connect(c)) return verdict;
    if (c.trace.stage == Stage::connecting && c.answer.timed_out)
        return fail("ssh.timeout", "{} does not answer within {:.0f} s", peer(c), c.answer.seconds);
    return std::nullopt;
}

static bool greeted_with(const Case& c, std::string_view words) {
    for (const auto& line : c.trace.greeting)
        if (line.find(words) != std::string::npos) return true;
    return false;
}

// sshd sends these two in place of its identification: sshd.c, drop_connection().  Since OpenSSH 9.8 it says the second whatever its
// reason.
std::optional<Verdict> ended_in_greeting(const Case& c) {
    if (c.trace.stage != Stage::connected) return std::nullopt;
    if (greeted_with(c, "Exceeded MaxStartups"))
        return fail("ssh.startup-limit", "{} turned the login away: 'Exceeded MaxStartups'", peer(c));
    if (greeted_with(c, "Not allowed at this time"))
        return fail("ssh.turned-away",
                    "{} turned the login away for now: 'Not allowed at this time'; it says so for too many unfinished logins and for a "
                    "penalty of this address",
                    peer(c));
    for (const auto* said : {"Protocol major versions differ", "banner line contains invalid characters", "banner line too long",
                             "No SSH identification string", "No banner received"})
        if (const auto line = word(c, said)) return fail("ssh.not-ssh", "what answers at {} is no SSH 2 server: '{}'", peer(c), *line);
    if (!c.trace.greeting.empty())
        return fail("ssh.not-ssh", "what answers at {} is no SSH server: it says '{}'", peer(c), excerpt(c.trace.greeting.front()));
    if (c.answer.timed_out || word(c, "timed out"))
        return fail("ssh.no-banner", "{} accepts the connection and says nothing for {:.0f} s", peer(c), c.answer.seconds);
    if (const auto line = word(c, "kex_exchange_identification: "))
        return fail("ssh.closed-early", "{} ended the connection before it said who it is: '{}'", peer(c), *line);
    return std::nullopt;
}

}  // namespace diag::ssh
