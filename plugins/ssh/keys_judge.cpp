#include "keys_judge.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/utf8.hpp"

namespace diag::ssh {
namespace {

struct Identity {
    std::string path;
    PrivateKey key;
    bool held = false;  // by the agent
};

// ~ and the tokens of IdentityFile and IdentityAgent that name this side; ssh -G leaves them as they are.
std::string expanded(std::string path, const Account& account) {
    if (path.starts_with("~/")) path = account.home + path.substr(1);
    for (const auto& [token, value] :
         {std::pair{"%d", account.home}, std::pair{"%u", account.name}, std::pair{"%i", std::to_string(account.uid)}})
        for (std::size_t at = path.find(token); at != std::string::npos; at = path.find(token, at + value.size()))
            path.replace(at, 2, value);
    return path;
}

// "256 SHA256:... comment (ED25519)": the second word.
std::string fingerprint(const std::string& line) {
    const std::size_t start = line.find(' ');
    return start == std::string::npos ? "" : line.substr(start + 1, line.find(' ', start + 1) - start - 1);
}

Agent agent_of(const Config& config, World& world, const Account& account) {
    const std::string named = value_of(config, "identityagent");
    if (named == "none") return {};
    if (named.empty() || named == "SSH_AUTH_SOCK") return world.agent("");
    if (named.starts_with('$')) {
        const char* value = std::getenv(named.c_str() + 1);
        return value == nullptr ? Agent{} : world.agent(value);
    }
    return world.agent(expanded(named, account));
}

bool holds(const Agent& agent, const std::string& key) {
    const std::string print = fingerprint(key);
    return !print.empty() &&
           std::any_of(agent.keys.begin(), agent.keys.end(), [&](const auto& held) { return fingerprint(held) == print; });
}

std::string told(const Identity& one) {
    switch (one.key.state) {
        case KeyState::absent:
            return "not there";
        case KeyState::plain:
            return "a key without a passphrase";
        case KeyState::encrypted:
            return one.held ? "needs a passphrase; the agent holds it" : "needs a passphrase; no agent holds it";
        case KeyState::exposed:
            return "others may read it: ssh does not use it";
        case KeyState::unreadable:
            return "this account may not read it";
        case KeyState::broken:
            return fmt::format("is no key that ssh can read ({})", base::printable(one.key.why));
    }
    return "?";
}

std::string told(const Agent& agent) {
    switch (agent.state) {
        case Agent::State::none:
            return "no agent";
        case Agent::State::silent:
            return fmt::format("an agent that does not answer at {}", base::printable(agent.socket));
        case Agent::State::empty:
            return "an agent that holds no key";
        case Agent::State::holds:
            return fmt::format("an agent with {} key{}", agent.keys.size(), agent.keys.size() == 1 ? "" : "s");
    }
    return "?";
}

void note(const std::vector<Identity>& identities, const Agent& agent, std::string& notes) {
    for (const auto& one : identities)
        notes += fmt::format("{}: {}{}\n", base::printable(one.path), told(one),
                             one.key.fingerprint.empty() ? "" : "; " + base::printable(one.key.fingerprint));
    notes += told(agent) + "\n";
    for (const auto& key : agent.keys) notes += "  " + base::printable(key) + "\n";
}

const Identity* first(const std::vector<Identity>& identities, KeyState state) {
    const auto at = std::find_if(identities.begin(), identities.end(), [&](const auto& one) { return one.key.state == state; });
    return at == identities.end() ? nullptr : &*at;
}

// The first identity that is there and cannot serve, as a cause; `severity` makes it a fail or a warn.
std::optional<Verdict> unusable(const std::vector<Identity>& identities, const Agent& agent, bool other_serves) {
    const auto say = [&](const char* cause, const Identity& one, const std::string& more) {
        const std::string path = base::printable(one.path);
        Verdict v = other_serves ? warn(cause, "{} {}{}; another key serves", path, told(one), more)
                                 : fail(cause, "{} {}{}", path, told(one), more);
        return std::move(v).with("path", one.path);
    };
    for (const auto state : {KeyState::exposed, KeyState::unreadable})
        if (const auto* one = first(identities, state)) return say("ssh.permissions", *one, "");
    if (const auto* one = first(identities, KeyState::broken)) return say("ssh.key-broken", *one, "");
    const auto* locked = first(identities, KeyState::encrypted);
    if (locked != nullptr && !other_serves) return say("ssh.key-passphrase", *locked, fmt::format(" ({})", told(agent)));
    return std::nullopt;
}

}  // namespace

Verdict judge_own_keys(const KeysQuestion& question, World& world, const Account& account, std::string& notes) {
    const auto dump = world.configuration(question.target);
    if (dump.status != 0) {
        notes += "ssh -G: " + base::printable(dump.err) + "\n";
        Answer answer{.log = dump.err, .status = dump.status};
        return why_not({question.target.host, question.target.user, question.target.config, answer, read_trace(dump.err), {}, {}});
    }
    const Config config = read_config(dump.out);
    const Agent agent = agent_of(config, world, account);
    std::vector<Identity> identities;
    for (const auto& path : values_of(config, "identityfile")) {
        Identity one{expanded(path, account), {}, false};
        if (one.path == "none") continue;
        one.key = world.private_key(one.path);
        one.held = holds(agent, one.key.fingerprint);
        identities.push_back(std::move(one));
    }
    note(identities, agent, notes);
    const bool only = value_of(config, "identitiesonly") == "yes";
    const bool serves =
        (agent.state == Agent::State::holds && !only) || std::any_of(identities.begin(), identities.end(), [](const auto& one) {
            return one.key.state == KeyState::plain || (one.held && one.key.state != KeyState::absent);
        });
    if (auto verdict = unusable(identities, agent, serves)) return *std::move(verdict);
    if (serves) return pass("{} has a key to log in with", account.name);
    return fail("ssh.key-missing", "{} has no key to log in with: none of {} files is there, and {}", account.name, identities.size(),
                told(agent));
}

KeysFinding judge_keys(const KeysQuestion& question, World& world) {
    KeysFinding finding;
    const Account account = world.account();
    finding.asked = fmt::format("{} of {} ({})",
                                question.here && question.there ? "keys to log in with, and modes of the home and key files"
                                : question.here                 ? "keys to log in with"
                                                                : "modes of the home and key files",
                                account.name, account.home);
    std::vector<Verdict> verdicts;
    if (question.here) verdicts.push_back(judge_own_keys(question, world, account, finding.evidence));
    if (question.there) verdicts.push_back(judge_doors(world, account, !question.here, finding.evidence));
    const auto worse = [](const Verdict& a, const Verdict& b) { return a.outcome < b.outcome && b.outcome != Outcome::skip; };
    finding.verdict = *std::max_element(verdicts.begin(), verdicts.end(), worse);
    for (const auto& verdict : verdicts) finding.saw += (finding.saw.empty() ? "" : "; ") + verdict.reason;
    if (finding.verdict.outcome == Outcome::pass) finding.verdict.reason = finding.saw;
    const auto fill = [&](const char* name, const std::string& value) {
        if (!finding.verdict.values.contains(name)) finding.verdict.values[name] = value;
    };
    fill("user", account.name);
    if (!question.any_host) fill("target", question.target.host);
    return finding;
}

}  // namespace diag::ssh
