#include "login_judge.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace diag::ssh {
namespace {

// What stands on stdout beside the line that was sent, or nothing where that line is not there.
std::optional<std::string> beside(const std::string& out, const std::string& nonce) {
    const std::string line = nonce + "\n";
    const std::size_t at = out.find(line);
    if (nonce.empty() || at == std::string::npos) return std::nullopt;
    return out.substr(0, at) + out.substr(at + line.size());
}

std::string shown(const std::string& text) {
    std::string all;
    for (const auto& line : lines_of(text)) all += "  " + base::printable(line) + "\n";
    return all;
}

std::string evidence_of(const Case& c) {
    std::string text = fmt::format("ssh ended with {} after {:.2f} s{}\n", c.answer.status, c.answer.seconds,
                                   c.answer.timed_out ? " (ended by the check's timeout)" : "");
    if (!c.answer.out.empty()) text += "stdout:\n" + shown(c.answer.out);
    if (!c.answer.err.empty()) text += "stderr (a banner is harmless):\n" + shown(c.answer.err);
    for (const auto& b : breaks_of(c.config)) text += fmt::format("configuration: {}: {}\n", base::printable(b.setting), b.effect);
    return text + "log of ssh -v:\n" + shown(c.answer.log);
}

// What a launcher that does not override the user's configuration would meet.
std::optional<Verdict> breaks_launchers(const Case& c) {
    const auto breaks = breaks_of(c.config);
    if (breaks.empty()) return std::nullopt;
    const auto worst = std::max_element(breaks.begin(), breaks.end(), [](const Break& a, const Break& b) { return a.outcome < b.outcome; });
    const std::string others =
        breaks.size() == 1 ? "" : fmt::format(" (and {} more setting{})", breaks.size() - 1, breaks.size() == 2 ? "" : "s");
    const std::string reason = fmt::format("the ssh configuration for {} has {}{}: for a launcher, {}", c.host,
                                           base::printable(worst->setting), others, worst->effect);
    Verdict verdict = worst->outcome == Outcome::fail ? fail("ssh.config-breaks", "{}", reason) : warn("ssh.config-breaks", "{}", reason);
    verdict.values = {{"setting", worst->setting}, {"target", hand_words(c)}, {"host", c.host}};
    return verdict;
}

// An option that our own logins cannot override kept the command from running: that, and not the peer, is the cause.
std::optional<Verdict> broken_by_config(const Case& c) {
    if (c.trace.stage < Stage::authenticated) return std::nullopt;
    for (const auto& b : breaks_of(c.config))
        for (const auto* keyword : {"SessionType ", "ForkAfterAuthentication ", "StdinNull "})
            if (b.setting.starts_with(keyword)) return breaks_launchers(c);
    return std::nullopt;
}

Verdict worked(const Case& c, const std::string& noise) {
    if (auto verdict = breaks_launchers(c); verdict && (verdict->outcome == Outcome::fail || noise.empty())) return *std::move(verdict);
    if (noise.empty()) return pass("{}: a command ran and returned after {:.2f} s, without a question", peer(c), c.answer.seconds);
    const auto lines = lines_of(noise);
    return warn("ssh.shell-noise", "the shell on {} writes {} bytes of its own to stdout: '{}'", peer(c), noise.size(),
                lines.empty() ? "(empty lines)" : base::printable(lines.front()))
        .with("host", c.host);
}

}  // namespace

LoginFinding judge_login(const Case& c, const std::string& nonce) {
    LoginFinding finding;
    const std::string as = c.user.empty() ? "" : " as " + c.user;
    finding.asked = fmt::format("a login on {}{}, without a question, and a command there", c.host, as);
    finding.evidence = evidence_of(c);
    const auto noise = c.answer.signal == 0 && !c.answer.timed_out ? beside(c.answer.out, nonce) : std::nullopt;
    finding.in = noise.has_value();
    if (finding.in) {
        finding.saw =
            fmt::format("logged in by {} after {:.2f} s, command included{}", c.trace.method.empty() ? "ssh" : c.trace.method,
                        c.answer.seconds, words_of(c.answer.err).empty() ? "" : "; it shows a banner or a message, which is harmless");
        finding.verdict = worked(c, *noise);
        return finding;
    }
    auto broken = broken_by_config(c);
    finding.verdict = broken ? *std::move(broken) : why_not(c);
    finding.saw = c.trace.words.empty() ? fmt::format("ssh ended with {}", c.answer.status)
                                        : fmt::format("ssh: '{}'", base::printable(c.trace.words.back()));
    return finding;
}

}  // namespace diag::ssh
