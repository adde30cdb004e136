// The login is done: why the command's answer did not come back.
#include "classify.hpp"

namespace diag::ssh {
namespace {

bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string first_line(const Case& c) {
    for (const auto* text : {&c.answer.out, &c.answer.err})
        if (const auto lines = lines_of(*text); !lines.empty()) return excerpt(lines.front());
    return "";
}

// nologin(8) of shadow and of util-linux; git-shell.
bool refused_by_shell(const std::string& text) {
    return says(text, "This account is currently not available") || says(text, "Interactive git shell is not enabled") ||
           says(text, "fatal: unrecognized command");
}

// PAM's and sshd's words for an account that may log in only to change its password, or not now.
bool closed_account(const std::string& text) {
    return says(text, "Password change required but no TTY") || says(text, "password has expired") || says(text, "account has expired") ||
           says(text, "required to change your password");
}

std::optional<Verdict> no_session(const Case& c) {
    for (const auto* said : {"open failed: ", "exec request failed on channel", "shell request failed on channel"})
        if (const auto line = word(c, said))
            return fail("ssh.no-session", "{} lets the account in and opens no session: '{}'", peer(c), *line);
    return std::nullopt;
}

std::optional<Verdict> lost(const Case& c) {
    if (c.trace.exit_status) return std::nullopt;
    for (const auto* said : {"closed by remote host", "not responding", "client_loop: ", "Connection reset by", "Broken pipe", "timed out"})
        if (const auto line = word(c, said)) return fail("ssh.connection-lost", "the session on {} was lost: '{}'", peer(c), *line);
    for (const auto& line : words_of(c.answer.err))  // this one never goes to the log (clientloop.c, quit_message)
        if (line.starts_with("Connection to ") && line.find(" closed by remote host.") != std::string::npos)
            return fail("ssh.connection-lost", "the session on {} was lost: '{}'", peer(c), excerpt(line));
    return std::nullopt;
}

// ssh does not say which signal.  A connection that is lost brings no such word.
std::optional<Verdict> killed(const Case& c) {
    if (!c.trace.command_killed || c.trace.exit_status) return std::nullopt;
    const std::string said = first_line(c);
    return fail("ssh.command-killed", "the login on {} works, and a signal there ended the command{}", peer(c),
                said.empty() ? "" : fmt::format("; it said: '{}'", said));
}

}  // namespace

std::optional<Verdict> ended_in_command(const Case& c) {
    if (c.trace.stage < Stage::authenticated) return std::nullopt;
    const std::string& text = c.answer.out.empty() ? c.answer.err : c.answer.out;
    const int status = c.trace.exit_status.value_or(c.answer.status);
    if (c.answer.timed_out)
        return fail("ssh.command-stalled", "the login on {} works, and {}", peer(c),
                    c.trace.command_ended ? "`cat` returned, but something that the shell started holds the session open"
                                          : fmt::format("`cat` did not return within {:.0f} s", c.answer.seconds));
    if (auto verdict = no_session(c)) return verdict;
    if (auto verdict = killed(c)) return verdict;
    if (auto verdict = lost(c)) return verdict;
    if (closed_account(text))
        return fail("ssh.account-closed", "{} lets the account in for a new password only: '{}'", peer(c), first_line(c));
    if (c.trace.forced_key || says(text, "allows sftp connections only"))
        return fail("ssh.forced-command", "{} runs a command of its own instead of `cat`; it ended with {}: '{}'", peer(c), status,
                    first_line(c));
    if (refused_by_shell(text)) return fail("ssh.no-shell", "the login shell on {} runs no commands: '{}'", peer(c), first_line(c));
    if (status == 127 || status == 126) return fail("ssh.no-command", "the shell on {} does not find `cat`: '{}'", peer(c), first_line(c));
    if (status == 1 && text.empty())
        return fail("ssh.no-shell", "the login shell on {} ends with 1 and says nothing, as /bin/false does", peer(c));
    if (!c.answer.out.empty())
        return fail("ssh.forced-command", "{} answers something else than `cat` would; it ended with {}: '{}'", peer(c), status,
                    first_line(c));
    if (status == 0) return fail("ssh.no-answer", "{} lets the account in, and `cat` sends nothing back", peer(c));
    return std::nullopt;
}

}  // namespace diag::ssh
