// From the peer's identification to the end of the key exchange: algorithms, the host key, and large packets for the first time.
#include "base/utf8.hpp"
#include "classify.hpp"

namespace diag::ssh {
namespace {

// Offending ED25519 key in FILE:LINE          (sshconnect.c, check_host_key)
//   ssh-keygen -f "FILE" -R "NAME"            (Debian's; upstream's too since 8.x)
struct Offender {
    std::string place, file, known_as;
};

Offender offender(const Case& c) {
    Offender found;
    for (const auto& line : c.trace.words) {
        const std::size_t key = line.find(" in ");
        if (line.starts_with("Offending ") && key != std::string::npos) found.place = base::printable(line.substr(key + 4));
        const std::size_t name = line.rfind("-R \"");
        if (name != std::string::npos && line.ends_with('"')) found.known_as = line.substr(name + 4, line.size() - name - 5);
    }
    found.file = found.place.substr(0, found.place.rfind(':'));
    if (found.known_as.empty()) found.known_as = c.config.empty() ? c.host : host_key_name(c.config);
    return found;
}

std::string readable_place(const std::string& place) {
    const std::size_t colon = place.rfind(':');
    return colon == std::string::npos ? place : fmt::format("line {} of {}", place.substr(colon + 1), place.substr(0, colon));
}

std::string shown_key(const Case& c) { return c.trace.host_key.empty() ? "a key" : base::printable(c.trace.host_key); }

Verdict unknown_key(const Case& c) {
    for (const auto& b : breaks_of(c.config))
        if (b.setting == "UserKnownHostsFile /dev/null")
            return fail("ssh.config-breaks", "the host key of {} cannot be known: the ssh configuration has {}", peer(c), b.setting)
                .with("setting", b.setting);
    const auto certificate = word(c, "Certificate invalid");
    return fail("ssh.host-key-unknown", "{} shows {}, and no known_hosts file of this account has a key for it{}", peer(c), shown_key(c),
                certificate ? fmt::format(" ('{}')", *certificate) : "");
}

std::optional<Verdict> distrusted(const Case& c) {
    if (word(c, "was revoked and you have requested") || word(c, "REVOKED HOST KEY DETECTED"))
        return fail("ssh.host-key-revoked", "{} shows {}, which is marked as revoked here", peer(c), shown_key(c));
    if (word(c, "REMOTE HOST IDENTIFICATION HAS CHANGED") || word(c, " has changed and you have requested strict checking")) {
        const auto found = offender(c);
        return fail("ssh.host-key-changed", "{} shows {}; another key is known: {}", peer(c), shown_key(c),
                    found.place.empty() ? "ssh does not say where" : readable_place(found.place))
            .with("file", found.file.empty() ? "~/.ssh/known_hosts" : found.file)
            .with("known_as", found.known_as);
    }
    if (word(c, " host key is known for ")) return unknown_key(c);
    return std::nullopt;
}

// "Unable to negotiate with HOST port N: no matching key exchange method found. Their offer: ..."
std::string kind(const std::string& line) {
    if (line.find("host key") != std::string::npos) return "HostKeyAlgorithms";
    if (line.find("cipher") != std::string::npos) return "cipher";
    if (line.find("MAC") != std::string::npos) return "mac";
    return "kex";
}

}  // namespace

std::optional<Verdict> ended_in_exchange(const Case& c) {
    if (const auto line = word(c, "message authentication code incorrect"))
        return fail("ssh.corrupted", "the connection to {} does not carry what is sent: '{}'", peer(c), *line);
    for (const auto* said : {"Corrupted MAC on input", "Bad packet length", "padding error"})
        if (const auto line = word(c, said))
            return fail("ssh.corrupted", "the connection to {} does not carry what is sent: '{}'", peer(c), *line);
    if (c.trace.stage < Stage::greeted || c.trace.stage >= Stage::encrypted) return std::nullopt;
    if (const auto line = word(c, "Unable to negotiate with "))
        return fail("ssh.algorithms", "no login to {}: {}", peer(c), line->substr(line->find(": ") + 2)).with("kind", kind(*line));
    if (auto verdict = distrusted(c)) return verdict;
    if (c.answer.timed_out || word(c, "timed out"))
        return fail(
            "ssh.kex-stalled",
            "the connection to {} stands and both sides have said who they are, but the key exchange stalled for {:.0f} s: its packets "
            "are the first large ones, so look at the path MTU (diag check mtu.path name={})",
            peer(c), c.answer.seconds, c.host);
    for (const auto* said : {"Connection closed by", "Connection reset by", "Broken pipe"})
        if (const auto line = word(c, said))
            return fail("ssh.closed-early", "{} ended the connection in the key exchange: '{}'", peer(c), *line);
    return std::nullopt;
}

}  // namespace diag::ssh
