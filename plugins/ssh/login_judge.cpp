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

constexpr std::size_t most_text = 4096;  // bytes kept of each of the peer's streams
constexpr std::size_t most_log = 32768;  // of ssh's log: its beginning and its end

std::string shown(std::string_view text) {
    std::string all;
    for (const auto& line : lines_of(text)) all += "  " + base::printable(line) + "\n";
    return all;
}

// The beginning of a stream that had `left` bytes more than `text` has.
std::string stream(const std::string& title, const std::string& text, std::size_t left = 0) {
    if (text.empty()) return "";
    const std::size_t kept = std::min(text.size(), most_text), all = text.size() + left;
    const std::string cut = kept < all ? fmt::format(", the first {} of {} bytes", kept, all) : "";
    return title + cut + ":\n" + shown(std::string_view(text).substr(0, kept));
}

std::string shown_log(std::string_view log) {
    if (log.size() <= most_log) return shown(log);
    const std::size_t half = most_log / 2;
    return shown(log.substr(0, half)) + fmt::format("  ... {} bytes are left out ...\n", log.size() - most_log) +
           shown(log.substr(log.size() - half));
}

std::string evidence_of(const Case& c) {
    std::string text = fmt::format("ssh ended with {} after {:.2f} s{}\n", c.answer.status, c.answer.seconds,
                                   c.answer.timed_out ? " (ended by the check's timeout)" : "");
    text += stream("stdout", c.answer.out, c.answer.out_left) + stream("stderr (a banner is harmless)", c.answer.err);
    for (const auto& b : breaks_of(c.config)) text += fmt::format("configuration: {}: {}\n", base::printable(b.setting), b.effect);
    return text + "log of ssh -v:\n" + shown_log(c.answer.log);
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

Verdict noisy(const Case& c, const std::string& how_much, const std::string& noise) {
    const auto lines = lines_of(noise);
    return warn("ssh.shell-noise", "the shell on {} writes {} of its own to stdout: '{}'", peer(c), how_much,
                lines.empty() ? "(empty lines)" : excerpt(lines.front()))
        .with("host", c.host);
}

// So much noise that the line that was sent was not found in what was read, though the command ended well.
std::optional<Verdict> flooded(const Case& c) {
    if (!c.answer.out_cut || c.answer.timed_out || c.trace.exit_status != 0 || c.trace.forced_key) return std::nullopt;
    auto verdict = noisy(c, fmt::format("more than {} bytes", c.answer.out.size() + c.answer.out_left), c.answer.out);
    verdict.reason += "; whether the command's answer comes after them was not read";
    return verdict;
}

Verdict worked(const Case& c, const std::string& noise) {
    if (auto verdict = breaks_launchers(c); verdict && (verdict->outcome == Outcome::fail || noise.empty())) return *std::move(verdict);
    if (noise.empty()) return pass("{}: a command ran and returned after {:.2f} s, without a question", peer(c), c.answer.seconds);
    return noisy(c, fmt::format("{} bytes", noise.size() + c.answer.out_left), noise);
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
    auto verdict = broken_by_config(c);
    if (!verdict) verdict = flooded(c);
    finding.verdict = verdict ? *std::move(verdict) : why_not(c);
    finding.saw =
        c.trace.words.empty() ? fmt::format("ssh ended with {}", c.answer.status) : fmt::format("ssh: '{}'", excerpt(c.trace.words.back()));
    return finding;
}

}  // namespace diag::ssh
