// Faults of a's keys and ssh configuration, and of b's account: who may log in, and what a login gets.
#include "lab/faults_ssh_steps.hpp"

namespace diag::lab {
namespace logins {
namespace {

Step mode(const std::string& bits, const std::string& name) { return {"a", {"chmod", bits, file("a", name)}, {}}; }
Step home_of_b(const std::string& bits) { return {"b", {"chmod", bits, ssh_folder_of("b").string()}, {}}; }

// One more key of a's, which nobody lets in; `place`, for sed, is before or after the good one.
Steps other_key(const std::string& passphrase, const std::string& place) {
    return {{"a", {"ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "other", "-f", file("a", "id_other")}, {}},
            edit("a", "config", place + " IdentityFile " + ssh_folder + "/id_other")};
}

// The line of the key that may log in to b begins with these options (sshd(8), AUTHORIZED_KEYS FILE FORMAT).
Step key_has(const std::string& options) { return edit("b", "authorized_keys", "s|^|" + options + " |"); }

// bash reads it for a command that sshd starts, as for every command of rsync and launchers.
Step start_file(const std::string& line) { return write("b", ".bashrc", line); }

Step jump(const std::string& to) { return append("a", "config", "Host node-b* 10.10.*.12 fd1a:*::12\n    ProxyJump " + to); }

std::vector<Fault> of_keys() {
    return {
        {"key-refused",
         "a's key is not among those that may log in to b",
         "ssh",
         "ssh.key-refused",
         "",
         {write("b", "authorized_keys", lost_key)}},
        {"key-among-others",
         "another key may log in to b as well",
         "",
         "",
         "ssh.key-refused",
         {edit("b", "authorized_keys", "1i " + lost_key)}},
        {"key-exposed", "a's key can be read by everybody on a", "ssh", "ssh.permissions", "", {mode("0644", "id_ed25519")}},
        {"key-read-only",
         "a's key can be read by its owner, and changed by nobody",
         "",
         "",
         "ssh.permissions",
         {mode("0400", "id_ed25519")}},
        {"key-locked",
         "a's key needs a passphrase, and no agent holds it",
         "ssh",
         "ssh.key-passphrase",
         "",
         {{"a", {"ssh-keygen", "-q", "-p", "-P", "", "-N", "secret", "-f", file("a", "id_ed25519")}, {}}}},
        {"key-other-locked", "another key of a's needs a passphrase", "", "", "ssh.key-passphrase", other_key("secret", "$a")},
        {"key-broken",
         "a's key file is no key",
         "ssh",
         "ssh.key-broken",
         "",
         {write("a", "id_ed25519", "-----BEGIN OPENSSH PRIVATE KEY-----"), remove("a", "id_ed25519.pub")}},
        {"key-without-public",
         "the public half of a's key is not there; ssh makes it from the other",
         "",
         "",
         "ssh.key-broken",
         {remove("a", "id_ed25519.pub")}},
        {"key-missing", "a has no key", "ssh", "ssh.key-missing", "", {remove("a", "id_ed25519"), remove("a", "id_ed25519.pub")}},
        {"key-other-missing",
         "a's configuration also names a key file that is not there",
         "",
         "",
         "ssh.key-missing",
         {client_has(std::string("IdentityFile ") + ssh_folder + "/id_rsa")}},
        {"keys-too-many", "b ends the login after one key, and a's good one is its second", "ssh", "ssh.too-many-keys", "",
         joined(other_key("", "1i"), server_has({"MaxAuthTries 1"}))},
        {"keys-two", "a's good key is its second", "", "", "ssh.too-many-keys", other_key("", "1i")},
    };
}

std::vector<Fault> of_configuration() {
    return {
        {"ssh-config-wrong",
         "a's ssh configuration has a word that ssh does not know",
         "ssh",
         "ssh.config-invalid",
         "",
         {client_has("IdentiyFile id_rsa")}},
        {"ssh-config-ignored",
         "it has the word, and says that ssh is to ignore it",
         "",
         "",
         "ssh.config-invalid",
         {client_has("IdentiyFile id_rsa"), client_has("IgnoreUnknown Identiy*")}},
        {"ssh-config-command",
         "a's ssh configuration starts a command of its own with every login",
         "ssh",
         "ssh.config-breaks",
         "",
         {client_has("RemoteCommand uptime")}},
        {"ssh-config-no-command",
         "a's ssh configuration says that none is to be started",
         "",
         "",
         "ssh.config-breaks",
         {client_has("RemoteCommand none")}},
        {"jump-gone", "a reaches b by a jump host that does not exist", "ssh", "ssh.proxy-failed", "", {jump("node-x.home.arpa")}},
        {"jump-works", "a reaches b by a jump host, which is a itself", "", "", "ssh.proxy-failed", {jump("node-a.home.arpa")}},
    };
}

std::vector<Fault> of_accounts() {
    return {
        {"home-open",
         "everybody may write to the home on b, so sshd reads no keys in it",
         "ssh",
         "ssh.key-refused",
         "",
         {home_of_b("o+w")}},
        {"home-group", "the home on b is group-writable, and the group is the user's own", "", "", "ssh.key-refused", {home_of_b("g+w")}},
        {"keys-not-taken", "b takes passwords and no keys", "ssh", "ssh.auth-methods", "",
         server_has({"PasswordAuthentication yes", "PubkeyAuthentication no"})},
        {"passwords-too", "b takes passwords as well", "", "", "ssh.auth-methods", server_has({"PasswordAuthentication yes"})},
        {"keys-stalled", "b asks a directory for keys, and it does not answer", "ssh", "ssh.auth-stalled", "",
         server_has({"AuthorizedKeysCommand /usr/bin/sleep 60", "AuthorizedKeysCommandUser root", "AuthorizedKeysFile none"})},
        {"keys-asked", "b asks a directory for keys, and it knows none", "", "", "ssh.auth-stalled",
         server_has({"AuthorizedKeysCommand /usr/bin/true", "AuthorizedKeysCommandUser root"})},
    };
}

std::vector<Fault> of_sessions() {
    return {
        {"forced-command",
         "b runs one command for a's key, whatever is asked",
         "ssh",
         "ssh.forced-command",
         "",
         {key_has("command=\"echo this key is for backups\"")}},
        {"forced-nothing",
         "a's key may be used from the lab alone, and forwards nothing",
         "",
         "",
         "ssh.forced-command",
         {key_has("no-port-forwarding,from=\"10.10.0.0/16,fd1a:b0::/32\"")}},
        {"no-shell", "b's account is not there for logins", "ssh", "ssh.no-shell", "", server_has({"ForceCommand /usr/sbin/nologin"})},
        {"other-shell", "b's account has another shell", "", "", "ssh.no-shell",
         server_has({"ForceCommand exec sh -c \"$SSH_ORIGINAL_COMMAND\""})},
        {"no-session", "b lets a in, and opens no session", "ssh", "ssh.no-session", "", server_has({"MaxSessions 0"})},
        {"one-session", "b opens one session a login", "", "", "ssh.no-session", server_has({"MaxSessions 1"})},
        {"shell-lost-path", "the shell on b has no PATH", "ssh", "ssh.no-command", "", {start_file("PATH=/nowhere")}},
        {"shell-longer-path",
         "the shell on b has a folder in its PATH that is not there",
         "",
         "",
         "ssh.no-command",
         {start_file("PATH=/nowhere:$PATH")}},
        {"shell-ends", "a start file on b ends the shell", "ssh", "ssh.no-answer", "", {start_file("exit 0")}},
        {"shell-ends-some",
         "a start file on b would end a shell without a home",
         "",
         "",
         "ssh.no-answer",
         {start_file("[ -n \"$HOME\" ] || exit 0")}},
        {"shell-hangs", "a start file on b waits for something", "ssh", "ssh.command-stalled", "", {start_file("sleep 60")}},
        {"shell-slow", "a start file on b takes a second", "", "", "ssh.command-stalled", {start_file("sleep 1")}},
        {"session-killed", "something on b ends a's sessions", "ssh", "ssh.connection-lost", "", {start_file("kill -KILL $PPID")}},
        {"session-spared", "something on b looks at a's sessions", "", "", "ssh.connection-lost", {start_file("kill -0 $PPID")}},
        {"shell-noise",
         "the shell on b greets everybody, programs too",
         "ssh",
         "ssh.shell-noise",
         "",
         {start_file("echo Welcome to node-b")},
         true},
        {"shell-greets",
         "the shell on b greets people, on a terminal",
         "",
         "",
         "ssh.shell-noise",
         {start_file("[ ! -t 1 ] || echo Welcome to node-b")}},
        {"banner", "b shows a banner before the login", "", "", "ssh.shell-noise",
         joined({write("b", "banner", "Welcome to node-b")}, server_has({std::string("Banner ") + ssh_folder + "/banner"}))},
    };
}

}  // namespace
}  // namespace logins

std::vector<Fault> account_faults() {
    std::vector<Fault> all = logins::of_keys();
    for (const auto& more : {logins::of_configuration(), logins::of_accounts(), logins::of_sessions()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace diag::lab
