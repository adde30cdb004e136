#include "causes.hpp"

namespace diag::ssh {
namespace {

struct Cause {
    const char* code;
    Mover who;
    const char *meaning, *remedy;
};

// This machine, before anything is sent.
const Cause of_this_side[] = {
    {"ssh.client-missing", mover::software, "The program ssh is not on this machine.", "apt-get install openssh-client"},
    {"ssh.config-invalid", mover::configuration, "ssh does not accept a configuration file, or a line of it.",
     "ssh -G {target}; correct the file that it names (man ssh_config)"},
    {"ssh.permissions", mover::configuration, "ssh refuses a key or a configuration of this side, because others may read or change it.",
     "chmod go-rwx {path}, as its owner; see: ls -l {path}"},
    {"ssh.key-missing", mover::configuration, "There is no key on this side to log in with.",
     "ssh-keygen -t ed25519, and then ssh-copy-id {target}; or name the key's file (IdentityFile) in the ssh configuration"},
    {"ssh.key-passphrase", mover::owner,
     "The key needs a passphrase, and no agent holds it: nobody is there to be asked when a program logs in.",
     "ssh-add {path} in the session that starts the run; or a key without a passphrase for this account"},
    {"ssh.key-broken", mover::configuration, "A key file of this side is no key that ssh can read.",
     "ssh-keygen -y -f {path}; restore the file, or make a new key and ssh-copy-id it"},
};

const Cause of_the_way[] = {
    {"ssh.config-breaks", mover::configuration,
     "The user's ssh configuration changes what plain `ssh HOST COMMAND` does: a launcher that logs in with it breaks, or believes "
     "anybody.",
     "ssh -G {target}; take the setting out of the block that applies to {host}, or give launchers a configuration of their own (ssh -F)"},
    {"ssh.name-unresolved", mover::configuration, "ssh cannot turn the name into an address.",
     "getent ahosts {name}; diag check names.resolve name={name}"},
    {"ssh.refused", mover::configuration, "Nothing listens on that port of the peer, or a firewall says so.",
     "on {host}: systemctl status ssh; ss -ltn; compare the port with: ssh -G {target} | grep ^port"},
    {"ssh.no-route", mover::configuration,
     "The address cannot be reached: no route, no machine with that address on the link, or a router or firewall that says no.",
     "ip route get {address}; diag check names.reach name={host}"},
    {"ssh.timeout", mover::configuration, "Nobody answers on that port: the peer is off or elsewhere, or a firewall drops the packets.",
     "diag check names.reach name={host}; on {host}: nft list ruleset; ss -ltn"},
    {"ssh.proxy-failed", mover::configuration, "The jump host or proxy command that the configuration names does not lead to the peer.",
     "ssh -G {target} | grep -i proxy; log in to each jump host by itself first: the last line says which one fails"},
};

const Cause of_the_greeting[] = {
    {"ssh.startup-limit", mover::configuration,
     "The peer's sshd has as many unfinished logins as it allows (MaxStartups), and turned this one away.",
     "log in to fewer at once; on {host}: sshd -T | grep maxstartups; ss -tn state established sport = :{port}"},
    {"ssh.turned-away", mover::configuration,
     "The peer's sshd (OpenSSH 9.8 or newer) turns logins away for now. It has as many unfinished ones as it allows (MaxStartups, "
     "PerSourceMaxStartups), or this address has a penalty after failed ones (PerSourcePenalties); to a client it says the same for each.",
     "on {host}: journalctl -u ssh | grep -E 'MaxStartups|penalty' tells which; wait a minute, mend the logins that failed or stand "
     "unfinished; PerSourcePenaltyExemptList in sshd_config"},
    {"ssh.closed-early", mover::configuration,
     "The peer ended the connection before the login was done, without a reason: an older sshd at its MaxStartups, a ban (fail2ban, "
     "hosts.deny), "
     "a device in between, or an sshd that fails.",
     "on {host}: journalctl -u ssh -n 50; sshd -t; fail2ban-client status sshd"},
    {"ssh.no-banner", mover::software, "The port accepts, and no sshd speaks: it is stuck or starved, or its machine is.",
     "on {host}, from its console: systemctl status ssh; uptime; free -m; dmesg | tail"},
    {"ssh.not-ssh", mover::configuration, "What answers on that port speaks no SSH 2.",
     "correct the port: ssh -G {target} | grep ^port; on {host}: ss -ltnp"},
};

const Cause of_the_exchange[] = {
    {"ssh.kex-stalled", mover::configuration,
     "The connection stands and small packets pass, but the key exchange, the first large ones, does not come through: a sign of a path "
     "that carries smaller frames than its ends believe.",
     "diag check mtu.path name={host}; if that passes, see on {host} whether sshd is stuck"},
    {"ssh.algorithms", mover::configuration, "The two ends have no algorithm in common.",
     "ssh -Q {kind}, and on {host}: sshd -T; update the older end, or allow one of its algorithms there"},
    {"ssh.corrupted", mover::hardware, "What arrives is not what was sent: the checksums of SSH do not agree.",
     "ethtool -S on both ends; switch the offloads off once (ethtool -K INTERFACE tx off rx off tso off gro off); then memory and cable"},
    {"ssh.host-key-unknown", mover::owner, "This account has never been told the peer's host key, so it cannot know who answers.",
     "ssh -o StrictHostKeyChecking=ask {target}, and compare the fingerprint with the peer's: ssh-keygen -lf "
     "/etc/ssh/ssh_host_ed25519_key.pub, on its console"},
    {"ssh.host-key-changed", mover::owner,
     "Another host key than the known one answers: the peer was installed anew, another machine has its name or address, or somebody "
     "stands between.",
     "if {host} was installed anew: ssh-keygen -f {file} -R {known_as}; ssh -o StrictHostKeyChecking=ask {target}, and compare the "
     "fingerprint with the peer's, on its console. Else find out who answers"},
    {"ssh.host-key-revoked", mover::owner, "The peer's host key is marked as revoked on this side.",
     "give {host} a new host key (ssh-keygen -A after removing the old), and tell this side; do not take the mark away"},
};

const Cause of_the_account[] = {
    {"ssh.key-refused", mover::configuration,
     "The peer takes keys, but none that was offered: it is not in the account's authorized_keys, or sshd does not read that file because "
     "of "
     "its modes, or does not let the account in (AllowUsers, PermitRootLogin, from=, no valid shell).",
     "ssh-copy-id {target}; on {host}, as that user: diag check ssh.keys side=there; journalctl -u ssh -n 20"},
    {"ssh.key-unusable", mover::owner,
     "The peer would take the key, and this side cannot sign with it: the agent refuses, or its token is away.",
     "ssh-add -l; unlock the agent (ssh-add -X) or plug the token in; ssh-add {path}"},
    {"ssh.too-many-keys", mover::configuration, "The agent offered so many keys that the peer ended the login before the right one's turn.",
     "name the right key for {host} in the ssh configuration: IdentityFile, and IdentitiesOnly yes"},
    {"ssh.auth-methods", mover::configuration, "The peer wants something that a program cannot give: a password, or one besides the key.",
     "on {host}: sshd -T | grep -iE 'pubkeyauthentication|authenticationmethods'; allow publickey alone for this account"},
    {"ssh.account-closed", mover::configuration,
     "The key is right, and the peer does not let the account in: closed for now, expired, or locked.",
     "on {host}: ls /etc/nologin /run/nologin; chage -l {user}; journalctl -u ssh -n 20"},
    {"ssh.auth-stalled", mover::software,
     "The peer does not finish the login: what it asks for accounts or keys does not answer (LDAP, DNS, a home on NFS).",
     "on {host}: journalctl -u ssh -n 20; time getent passwd {user}; time ls the user's home"},
};

const Cause of_the_command[] = {
    {"ssh.forced-command", mover::configuration,
     "Something else than the command that was asked for ran: a forced command, or a shell that runs none.",
     "on {host}: command= in the account's authorized_keys; sshd -T -C user={user} | grep forcecommand; getent passwd {user}"},
    {"ssh.no-shell", mover::configuration, "The account's login shell runs no commands (nologin, false, git-shell).",
     "on {host}: getent passwd {user}; chsh -s /bin/bash {user}"},
    {"ssh.no-session", mover::configuration,
     "The login works, and the peer opens no session: MaxSessions, a limit on processes, or restrict in authorized_keys.",
     "on {host}: sshd -T | grep maxsessions; journalctl -u ssh -n 20; ulimit -u as that user"},
    {"ssh.no-command", mover::configuration, "The shell there does not find a program as common as cat: its start files break PATH.",
     "ssh {target} env, and look at PATH; then the start files there (.bashrc, .zshenv, .ssh/environment)"},
    {"ssh.no-answer", mover::configuration,
     "The command left no answer: the shell's start files end it (exit, exec) or eat its input (read), or a forced command says nothing.",
     "on {host}: read .bashrc, .zshenv, .ssh/rc and /etc/bash.bashrc for exit, exec and read outside of an interactive shell"},
    {"ssh.command-stalled", mover::software,
     "The login works, and a command does not return: the shell's start files hang, or what they touch (NFS, modules).",
     "ssh {target} by hand, and Ctrl-C; on {host}: ps -u {user} -o pid,stat,wchan,args"},
    {"ssh.command-killed", mover::software,
     "The login works, and a signal ended the command or its shell on the peer: memory ran out there, a limit, or somebody's kill.",
     "on {host}: journalctl -k --grep 'Out of memory|oom|segfault' -n 20; ulimit -a as that user; its start files, for ulimit and kill"},
    {"ssh.connection-lost", mover::hardware, "The connection ended in the middle of the session.",
     "diag check names.reach name={host} count=100; on {host}: journalctl -u ssh -n 20; uptime"},
    {"ssh.shell-noise", mover::configuration,
     "The peer's shell writes to stdout on its own: programs that speak through ssh (scp, rsync, launchers) take it for an answer.",
     "on {host}: let .bashrc and the like write only where [ -t 1 ], or to stderr"},
    {"ssh.failed", mover::configuration, "The login failed for a reason that is not known here; ssh's own last line tells it.",
     "ssh -v {target}"},
};

// The far side of ssh.keys.
const Cause of_the_doors[] = {
    {"ssh.permissions-there", mover::configuration,
     "Others may change the account's home, .ssh or key file, so its sshd does not read the keys in it (StrictModes): a login is refused.",
     "chmod go-w {path}; see: ls -ld {path}"},
    {"ssh.no-authorized-keys", mover::configuration, "The account has no file of keys that may log in to it.",
     "from the machine that logs in: ssh-copy-id {user}@HOST, with this machine's name for HOST"},
};

template <std::size_t n>
void declare(Check& check, const Cause (&causes)[n]) {
    for (const auto& cause : causes) check.cause(cause.code, cause.who, cause.meaning, cause.remedy);
}

}  // namespace

void declare_login_causes(Check& check) {
    declare(check, of_this_side);
    declare(check, of_the_way);
    declare(check, of_the_greeting);
    declare(check, of_the_exchange);
    declare(check, of_the_account);
    declare(check, of_the_command);
    check.on_absent("ssh.client-missing");
}

void declare_keys_causes(Check& check) {
    declare(check, of_this_side);
    declare(check, of_the_doors);
    check.on_absent("ssh.client-missing");
}

}  // namespace diag::ssh
