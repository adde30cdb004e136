#include "classify.hpp"

#include "base/utf8.hpp"

namespace diag::ssh {

std::optional<std::string> word(const Case& c, std::string_view part) {
    for (const auto& line : c.trace.words)
        if (line.find(part) != std::string::npos) return base::printable(line);
    return std::nullopt;
}

std::string excerpt(std::string_view text) {
    constexpr std::size_t most = 120;
    if (text.size() <= most) return base::printable(text);
    std::size_t end = most;
    while (end > most - 4 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // no half of a character
    return base::printable(text.substr(0, end)) + "...";
}

std::string peer(const Case& c) {
    const auto& t = c.trace;
    if (!t.proxy.empty()) return fmt::format("{} (by {})", c.host, base::printable(t.proxy));
    return t.address.empty() ? c.host : fmt::format("{} ({} port {})", c.host, base::printable(t.address), base::printable(t.port));
}

static std::string last_line(const Case& c) {
    if (!c.trace.words.empty()) return c.trace.words.back();
    const auto others = words_of(c.answer.err);
    return others.empty() ? "" : others.back();
}

static Verdict unknown_reason(const Case& c) {
    const std::string last = excerpt(last_line(c));
    if (c.answer.signal != 0) return fail("ssh.failed", "ssh was ended by signal {} before {} had answered", c.answer.signal, peer(c));
    if (c.answer.timed_out)
        return fail("ssh.failed", "no login to {} within {:.0f} s; ssh's last line: '{}'", peer(c), c.answer.seconds, last);
    return fail("ssh.failed", "no login to {}: ssh ended with {}{}", peer(c), c.answer.status,
                last.empty() ? std::string(" and said nothing") : fmt::format(": '{}'", last));
}

static Verdict find_reason(const Case& c) {
    for (const auto part : {ended_on_this_side, ended_on_the_way, ended_in_greeting, ended_in_exchange, ended_in_login, ended_in_command})
        if (auto verdict = part(c)) return *std::move(verdict);
    return unknown_reason(c);
}

json hand_words(const Case& c) {
    json words = json::array({c.user.empty() ? c.host : c.user + "@" + c.host});
    if (!c.file.empty() && c.file != "~/.ssh/config") words.insert(words.end(), {"-F", c.file});
    return words;
}

Verdict why_not(const Case& c) {
    Verdict verdict = find_reason(c);
    const auto fill = [&](const char* name, const std::string& value) {
        if (!value.empty() && !verdict.values.contains(name)) verdict.values[name] = value;
    };
    const std::string asked = value_of(c.config, "user"), name = value_of(c.config, "hostname");
    fill("user", c.user.empty() ? asked : c.user);
    verdict.values["target"] = hand_words(c);
    fill("host", c.host);
    fill("name", name.empty() ? c.host : name);
    fill("address", c.trace.address);
    fill("port", c.trace.port);
    return verdict;
}

}  // namespace diag::ssh
