// Faults on the way to b's sshd, of the server itself, and of its host key.  Names, addresses and links are whole.
#include "lab/faults_ssh_steps.hpp"

namespace diag::lab {
namespace logins {
namespace {

// As an installer leaves it: a key of its own, and nobody was told.
Steps new_host_key() {
    return {remove("b", "host_key"),
            {"b", {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "anew", "-f", file("b", "host_key")}, {}},
            server("again")};
}

Steps second_host_key() {
    return joined({{"b", {"ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-C", "second", "-f", file("b", "host_key_2")}, {}}},
                  server_has({std::string("HostKey ") + ssh_folder + "/host_key_2"}));
}

Steps startups(const std::string& most) {
    return {edit("b", "sshd_config", "s/^MaxStartups.*/MaxStartups " + most + "/"), server("again")};
}

// What b does with what comes from elsewhere.
Step firewall(const std::string& rule) {
    return {"b", {"nft", "-f", "-"}, "table inet lab { chain input { type filter hook input priority 0;\n" + rule + "\n}\n}\n"};
}

const std::string lines_of_b = "^node-b";  // in known_hosts

std::vector<Fault> of_the_way() {
    const char* const too_many = knows_penalties() ? "ssh.turned-away" : "ssh.startup-limit";
    return {
        {"ssh-stopped", "no sshd runs on b", "ssh", "ssh.refused", "", {server("stop")}},
        {"ssh-restarted", "b's sshd was started again a moment ago", "", "", "ssh.refused", {server("again")}},
        {"ssh-filtered",
         "b's firewall drops what comes to its sshd, without a word",
         "ssh",
         "ssh.timeout",
         "",
         {firewall("tcp dport 22 drop")}},
        {"ssh-other-port-filtered",
         "b's firewall drops what comes to another port",
         "",
         "",
         "ssh.timeout",
         {firewall("tcp dport 2222 drop")}},
        {"ssh-frozen", "b's sshd is stuck: the port accepts, and nobody speaks", "ssh", "ssh.no-banner", "", {server("freeze")}},
        {"ssh-thawed", "b's sshd was stuck, and goes on", "", "", "ssh.no-banner", {server("freeze"), server("thaw")}},
        {"ssh-closes", "what listens on b's port closes every connection at once", "ssh", "ssh.closed-early", "", {server("replace")}},
        {"ssh-few-startups", "b allows one unfinished login at a time, and there is none", "", "", "ssh.closed-early", startups("1")},
        {"ssh-startups", "somebody holds the one unfinished login that b allows", "ssh", too_many, "",
         joined(startups("1"), {server("occupy")})},
        {"ssh-startups-left", "somebody holds one of ten unfinished logins that b allows", "", "", too_many,
         joined(startups("10"), {server("occupy")})},
        {"ssh-large-frames",
         "large frames to b's sshd vanish",
         "ssh",
         "ssh.kex-stalled",
         "",
         {firewall("tcp dport 22 meta length > 1000 drop")}},
        {"ssh-other-large-frames",
         "large frames to another port of b's vanish",
         "",
         "",
         "ssh.kex-stalled",
         {firewall("tcp dport 2222 meta length > 1000 drop")}},
    };
}

std::vector<Fault> of_host_keys() {
    return {
        {"host-key-changed", "b was installed anew: it has another host key", "ssh", "ssh.host-key-changed", "", new_host_key()},
        {"host-key-second", "b has a second host key, of a type that a does not know", "", "", "ssh.host-key-changed", second_host_key()},
        {"host-key-unknown",
         "a was never told b's host key",
         "ssh",
         "ssh.host-key-unknown",
         "",
         {edit("a", "known_hosts", "/" + lines_of_b + "/d")}},
        {"host-key-hashed",
         "a knows b's host key under names that are hashed",
         "",
         "",
         "ssh.host-key-unknown",
         {{"a", {"ssh-keygen", "-H", "-f", file("a", "known_hosts")}, {}}}},
        {"host-key-revoked",
         "a was told that b's host key is revoked",
         "ssh",
         "ssh.host-key-revoked",
         "",
         {edit("a", "known_hosts", "s/" + lines_of_b + ".*/&\\n@revoked &/")}},
        {"host-key-old-revoked",
         "a was told that a key which b no longer has is revoked",
         "",
         "",
         "ssh.host-key-revoked",
         {append("a", "known_hosts", "@revoked node-b.home.arpa,node-b,10.10.1.12 " + lost_key)}},
        {"ssh-old-algorithms", "b speaks a key exchange only that ssh has given up", "ssh", "ssh.algorithms", "",
         server_has({"KexAlgorithms diffie-hellman-group14-sha1"})},
        {"ssh-few-algorithms", "b speaks one key exchange only, which a speaks as well", "", "", "ssh.algorithms",
         server_has({"KexAlgorithms diffie-hellman-group14-sha256"})},
    };
}

}  // namespace
}  // namespace logins

std::vector<Fault> ssh_faults() {
    std::vector<Fault> all = logins::of_the_way();
    const std::vector<Fault> more = logins::of_host_keys();
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace diag::lab
