// From the key exchange to the account: which keys were offered, what the peer takes, and whether it lets the account in.
#include <fmt/ranges.h>

#include "base/utf8.hpp"
#include "classify.hpp"

namespace diag::ssh {
namespace {

// "PATH ED25519 SHA256:... explicit agent": the path, which may have spaces.
std::string path_of(const std::string& key) {
    const std::size_t print = key.find(" SHA256:");
    const std::size_t type = print == std::string::npos || print == 0 ? std::string::npos : key.rfind(' ', print - 1);
    return base::printable(type == std::string::npos ? key : key.substr(0, type));
}

std::string listed(const std::vector<std::string>& words) { return base::printable(fmt::format("{}", fmt::join(words, ", "))); }

bool takes_keys(const Trace& t) {
    for (const auto& method : t.methods)
        if (method == "publickey") return true;
    return false;
}

// "Load key "PATH": why"
std::optional<Verdict> unloadable(const Case& c) {
    const auto line = word(c, "Load key \"");
    if (!line) return std::nullopt;
    const std::size_t open = line->find('"'), close = line->rfind("\": ");
    if (close == std::string::npos || close <= open) return std::nullopt;
    const std::string path = line->substr(open + 1, close - open - 1), why = line->substr(close + 3);
    if (why == "bad permissions" || why == "Permission denied")
        return fail("ssh.permissions", "ssh does not use the key {}: {}", path,
                    why == "bad permissions" ? "others may read it" : "this account may not read it")
            .with("path", path);
    return fail("ssh.key-broken", "ssh cannot read the key {}: {}", path, why).with("path", path);
}

// The peer said that it would take a key; so the rest is on this side, or in the account.
Verdict accepted(const Case& c) {
    const std::string path = path_of(c.trace.accepted);
    if (auto verdict = unloadable(c)) return *std::move(verdict);
    if (const auto line = word(c, "signing failed"))
        return fail("ssh.key-unusable", "{} would take the key {}, and it cannot sign: '{}'", peer(c), path, *line).with("path", path);
    if (word(c, "no such identity: " + c.trace.accepted.substr(0, c.trace.accepted.find(' '))))
        return fail("ssh.key-missing", "{} would take the key {}, and only its public half is here", peer(c), path).with("path", path);
    if (word(c, "Permission denied ("))
        return fail("ssh.key-passphrase", "{} would take the key {}, which needs a passphrase, and no agent holds it", peer(c), path)
            .with("path", path);
    const auto banner = words_of(c.answer.err);
    return fail("ssh.account-closed", "{} takes the key {} and then closes the connection{}", peer(c), path,
                banner.empty() ? std::string() : fmt::format(": '{}'", excerpt(banner.back())));
}

// No key was offered; `tried` are private keys whose public part is not known.
Verdict nothing_offered(const Case& c) {
    if (!c.trace.keys_asked) {
        const std::string setting = no_keys_setting(c.config);
        return fail("ssh.config-breaks", "ssh offered no key to {}, though it takes keys: the configuration {}", peer(c),
                    setting.empty() ? "does not let it" : "has " + setting)
            .with("setting", setting);
    }
    if (auto verdict = unloadable(c)) return *std::move(verdict);
    for (const auto& [path, state] : c.keys)
        if (state == KeyState::encrypted)
            return fail("ssh.key-passphrase", "the key {} needs a passphrase, and no agent holds it; there is no other for {}",
                        base::printable(path), peer(c))
                .with("path", path);
    if (const auto line = word(c, "no mutual signature"))
        return fail("ssh.algorithms", "{} takes no signature that the key can give: '{}'", peer(c), *line).with("kind", "key-sig");
    return fail("ssh.key-missing", "there is no key on this side to offer to {}{}", peer(c),
                c.trace.tried.empty() ? std::string() : fmt::format("; not there: {}", listed(c.trace.tried)));
}

Verdict denied(const Case& c) {
    const auto& t = c.trace;
    if (t.partial)
        return fail("ssh.auth-methods", "{} takes the {} and then wants more: {}", peer(c), t.method == "publickey" ? "key" : t.method,
                    listed(t.methods));
    if (!takes_keys(t)) return fail("ssh.auth-methods", "{} takes no keys, only: {}", peer(c), listed(t.methods));
    if (t.offered.empty()) return nothing_offered(c);
    std::vector<std::string> keys;
    for (const auto& key : t.offered) keys.push_back(path_of(key));
    return fail("ssh.key-refused", "{} takes none of the keys that were offered: {}", peer(c), fmt::format("{}", fmt::join(keys, ", ")));
}

}  // namespace

std::optional<Verdict> ended_in_login(const Case& c) {
    const auto& t = c.trace;
    if (t.stage < Stage::encrypted || t.stage >= Stage::authenticated) return std::nullopt;
    if (word(c, "Too many authentication failures"))
        return fail("ssh.too-many-keys", "{} ended the login after {} keys: 'Too many authentication failures'", peer(c), t.offered.size());
    if (c.answer.timed_out || word(c, "timed out"))
        return fail("ssh.auth-stalled", "{} does not finish the login: nothing for {:.0f} s, after the key exchange was done", peer(c),
                    c.answer.seconds);
    if (!t.accepted.empty() && !t.partial) return accepted(c);
    if (word(c, "Permission denied (")) return denied(c);
    for (const auto* said : {"Connection closed by", "Connection reset by"})
        if (const auto line = word(c, said))
            return fail("ssh.closed-early", "{} ended the connection before it had judged a key: '{}'", peer(c), *line);
    return std::nullopt;
}

}  // namespace diag::ssh
