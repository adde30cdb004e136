// Every cause that a login can come to, from captured texts, each with what looks alike and is another.
#include "captured.hpp"
#include "catch.hpp"
#include "login_judge.hpp"

namespace classify_test {

using namespace diag;
using namespace diag::ssh;
namespace cap = diag::ssh::captured;

static const std::string nonce = "diag-0123";

static Case met(const std::string& log, const std::string& out = "", const std::string& err = "", int status = 255) {
    Case c{"node-b", "ops", "", {.log = log, .out = out, .err = err, .status = status, .seconds = 1}, read_trace(log), {}, {}};
    return c;
}

static Case stuck(const std::string& log) {
    Case c = met(log, "", "", 0);
    c.answer.timed_out = true;
    return c;
}

static std::string cause(const Case& c) {
    const auto finding = judge_login(c, nonce);
    UNSCOPED_INFO(finding.verdict.reason);
    return finding.verdict.cause.empty() ? "pass" : finding.verdict.cause;
}

static std::string reason(const Case& c) { return judge_login(c, nonce).verdict.reason; }

// One that ended in a session; its status came from the peer.
static Case ran(int status, const std::string& out, const std::string& err = "") {
    return met(cap::running + cap::ended(status), out, err, status);
}

static std::string connect_error(const std::string& why) {
    return cause(met(cap::connecting + "debug1: connect to address 10.0.0.2 port 22: " + why +
                     "\r\nssh: connect to host node-b port 22: " + why + "\r\n"));
}

TEST_CASE("exactly the line that was sent is a pass; a line beside it is noise; anything else is none of both") {
    CHECK(cause(ran(0, nonce + "\n")) == "pass");
    CHECK(cause(ran(0, nonce + "\n", "Authorised use only\n")) == "pass");
    CHECK(cause(ran(3, nonce + "\n")) == "pass");  // a .bash_logout may end with anything
    CHECK(cause(ran(0, "hello\n" + nonce + "\n")) == "ssh.shell-noise");
    CHECK(cause(ran(0, nonce + "\n\n")) == "ssh.shell-noise");
    CHECK(cause(ran(0, "diag-9999\n")) == "ssh.forced-command");
    CHECK(reason(ran(0, "\x1b[2J" + nonce + "\n")).find('\x1b') == std::string::npos);
}

TEST_CASE("before the connection: the configuration, the name, the address") {
    const auto start = [](const std::string& words) { return cause(met(cap::version + words)); };
    CHECK(start("Bad owner or permissions on /home/ops/.ssh/config\r\n") == "ssh.permissions");
    CHECK(start("Can't open user config file /x: No such file or directory\r\n") == "ssh.config-invalid");
    CHECK(start("/x: line 9: Bad configuration option: bogus\r\n/x: terminating, 1 bad configuration options\r\n") == "ssh.config-invalid");
    CHECK(start("ssh: Could not resolve hostname node-b: Name or service not known\r\n") == "ssh.name-unresolved");
    CHECK(start("ssh: Could not resolve hostname node-b: Temporary failure in name resolution\r\n") == "ssh.name-unresolved");
    CHECK(start("something new\r\n") == "ssh.failed");
    CHECK(cause(stuck(cap::version)) == "ssh.name-unresolved");
    CHECK(connect_error("Connection refused") == "ssh.refused");
    CHECK(connect_error("Connection timed out") == "ssh.timeout");
    for (const auto* why :
         {"No route to host", "Network is unreachable", "Permission denied", "Operation not permitted", "Invalid argument"})
        CHECK(connect_error(why) == "ssh.no-route");
    CHECK(connect_error("Cannot assign requested address") == "ssh.failed");
    CHECK(cause(stuck(cap::connecting)) == "ssh.timeout");
}

TEST_CASE("a host with several addresses is judged by the last that was tried") {
    const std::string six =
        "debug1: Connecting to node-b [fd10::2] port 22.\r\ndebug1: connect to address fd10::2 port 22: Network is unreachable\r\n";
    const auto c = met(cap::version + six +
                       "debug1: Connecting to node-b [10.0.0.2] port 22.\r\nssh: connect to host node-b port 22: Connection refused\r\n");
    CHECK(cause(c) == "ssh.refused");
    CHECK(reason(c) == "node-b (10.0.0.2 port 22) refuses the connection");
}

TEST_CASE("a proxy that fails is not the peer's failure; a peer behind a proxy that works is") {
    const std::string proxy = cap::version + "debug1: Executing proxy command: exec ssh -W '[node-b]:22' jump\r\n";
    const std::string ends = "kex_exchange_identification: Connection closed by remote host\r\nConnection closed by UNKNOWN port 65535\r\n";
    const auto failed =
        met(proxy + ends, "",
            "debug1: Authentications that can continue: password\r\nssh: connect to host jump port 22: Connection refused\r\n");
    CHECK(cause(failed) == "ssh.proxy-failed");
    CHECK(reason(failed).find("'ssh: connect to host jump port 22: Connection refused'") != std::string::npos);
    CHECK(cause(met(proxy + "debug1: kex_exchange_identification: banner line 0: Exceeded MaxStartups\r\n" + ends)) == "ssh.startup-limit");
    // What the jump host's ssh says about its own login is on stderr, and moves nothing here.
    CHECK(cause(met(proxy + cap::greeted.substr(cap::connecting.size()) + "Connection to UNKNOWN port 65535 timed out\r\n", "",
                    cap::running)) == "ssh.kex-stalled");
}

TEST_CASE("in place of an identification: full, penalised, hung up, silent, no sshd") {
    const std::string closed = "kex_exchange_identification: Connection closed by remote host\r\nConnection closed by 10.0.0.2 port 22\r\n";
    const std::string reset = "kex_exchange_identification: read: Connection reset by peer\r\nConnection reset by 10.0.0.2 port 22\r\n";
    const auto line = [](const std::string& text) { return "debug1: kex_exchange_identification: banner line 0: " + text + "\r\n"; };
    CHECK(cause(met(cap::connected + line("Exceeded MaxStartups") + closed)) == "ssh.startup-limit");
    CHECK(cause(met(cap::connected + line("Not allowed at this time") + reset)) == "ssh.turned-away");
    CHECK(cause(met(cap::connected + closed)) == "ssh.closed-early");
    CHECK(cause(met(cap::connected + reset)) == "ssh.closed-early");
    CHECK(cause(met(cap::connected + line("HTTP/1.1 400 Bad Request") + reset)) == "ssh.not-ssh");
    CHECK(cause(met(cap::connected + "kex_exchange_identification: banner line contains invalid characters\r\n")) == "ssh.not-ssh");
    CHECK(cause(met(cap::connected +
                    "debug1: Remote protocol version 1.5, remote software version old\r\nProtocol major versions differ: 2 vs. 1\r\n")) ==
          "ssh.not-ssh");
    CHECK(cause(met(cap::connected + "Connection timed out during banner exchange\r\nConnection to 10.0.0.2 port 22 timed out\r\n")) ==
          "ssh.no-banner");
    CHECK(cause(stuck(cap::connected)) == "ssh.no-banner");
}

TEST_CASE("a stall in the key exchange, at either of its large packets, is told from one before and one after") {
    const std::string timed_out = "Connection to 10.0.0.2 port 22 timed out\r\n";
    for (const auto& c :
         {met(cap::greeted + timed_out), stuck(cap::greeted), stuck(cap::greeted + "debug1: SSH2_MSG_KEXINIT received\r\n")}) {
        CHECK(cause(c) == "ssh.kex-stalled");
        CHECK(reason(c).find("diag check mtu.path name=node-b") != std::string::npos);
    }
    CHECK(cause(met(cap::encrypted + timed_out)) == "ssh.auth-stalled");
    CHECK(cause(stuck(cap::accepted)) == "ssh.auth-stalled");
    CHECK(cause(met(cap::greeted + "Connection reset by 10.0.0.2 port 22\r\n")) == "ssh.closed-early");
    CHECK(cause(met(cap::greeted + "Unable to negotiate with 10.0.0.2 port 22: no matching cipher found. Their offer: aes128-ctr\r\n")) ==
          "ssh.algorithms");
    CHECK(
        cause(met(cap::encrypted + "ssh_dispatch_run_fatal: Connection to 10.0.0.2 port 22: message authentication code incorrect\r\n")) ==
        "ssh.corrupted");
    CHECK(cause(met(cap::running + "Corrupted MAC on input.\r\n")) == "ssh.corrupted");
}

TEST_CASE("a host key that is unknown, changed or revoked: three answers, and the changed one with file and line") {
    const std::string failed = "Host key verification failed.\r\n";
    auto unknown = met(cap::proven + "No ED25519 host key is known for node-b and you have requested strict checking.\r\n" + failed);
    CHECK(cause(unknown) == "ssh.host-key-unknown");
    CHECK(reason(unknown).find("SHA256:1VBx5kRfRUYiY2YzMHK6GICQsqj7WbzQB2rnntPUnz8") != std::string::npos);
    unknown.config = read_config("userknownhostsfile /dev/null\n");
    CHECK(cause(unknown) == "ssh.config-breaks");
    const auto changed = judge_login(met(cap::proven + cap::changed), nonce).verdict;
    CHECK(changed.cause == "ssh.host-key-changed");
    CHECK(changed.reason.find("line 17 of /home/ops/.ssh/known_hosts") != std::string::npos);
    CHECK(changed.values["file"] == "/home/ops/.ssh/known_hosts");
    CHECK(changed.values["known_as"] == "node-b");
    CHECK(cause(met(cap::proven + "@       WARNING: REVOKED HOST KEY DETECTED!               @\r\n" + failed)) == "ssh.host-key-revoked");
    CHECK(cause(met(cap::proven + failed)) == "ssh.failed");
}

TEST_CASE("a banner may say what it likes") {
    for (const auto* text :
         {"REMOTE HOST IDENTIFICATION HAS CHANGED", "Permission denied (password).", "debug1: Exit status 0", "Connection refused"}) {
        CHECK(cause(met(cap::offered + cap::denied, "", text)) == "ssh.key-refused");
        CHECK(cause(ran(0, nonce + "\n", text)) == "pass");
    }
}

TEST_CASE("no key offered: none there, one that is locked, exposed or broken, or a configuration that offers none") {
    const std::string tried = "debug1: Trying private key: /home/ops/.ssh/id_rsa\r\n";
    auto c = met(cap::asked + tried + cap::denied);
    c.keys["/home/ops/.ssh/id_rsa"] = KeyState::absent;
    CHECK(cause(c) == "ssh.key-missing");
    c.keys["/home/ops/.ssh/id_rsa"] = KeyState::encrypted;
    CHECK(cause(c) == "ssh.key-passphrase");
    CHECK(cause(met(cap::asked + tried + "Load key \"/home/ops/.ssh/id_rsa\": error in libcrypto\r\n" + cap::denied)) == "ssh.key-broken");
    CHECK(cause(met(cap::asked + tried + "Load key \"/home/ops/.ssh/id_rsa\": Permission denied\r\n" + cap::denied)) == "ssh.permissions");
    auto never = met(cap::encrypted + "debug1: Authentications that can continue: publickey\r\n" + cap::denied);
    never.config = read_config("pubkeyauthentication false\n");
    CHECK(cause(never) == "ssh.config-breaks");
    CHECK(reason(never).find("PubkeyAuthentication no") != std::string::npos);
}

TEST_CASE("a key that is refused, and one that is accepted and yet does not lead in") {
    CHECK(cause(met(cap::offered + cap::denied)) == "ssh.key-refused");
    CHECK(cause(met(cap::accepted + cap::denied)) == "ssh.key-passphrase");
    CHECK(
        cause(met(cap::accepted +
                  "sign_and_send_pubkey: signing failed for ED25519 \"/home/ops/.ssh/id_ed25519\" from agent: agent refused operation\r\n" +
                  cap::denied)) == "ssh.key-unusable");
    CHECK(cause(met(cap::accepted + "no such identity: /home/ops/.ssh/id_ed25519: No such file or directory\r\n" + cap::denied)) ==
          "ssh.key-missing");
    CHECK(cause(met(
              cap::accepted +
              "@         WARNING: UNPROTECTED PRIVATE KEY FILE!          @\r\nLoad key \"/home/ops/.ssh/id_ed25519\": bad permissions\r\n" +
              cap::denied)) == "ssh.permissions");
    const auto closed = met(cap::accepted + "Connection closed by 10.0.0.2 port 22\r\n", "",
                            "System is booting up. Unprivileged users are not permitted to log in yet.\n");
    CHECK(cause(closed) == "ssh.account-closed");
    CHECK(reason(closed).find("booting up") != std::string::npos);
    CHECK(cause(met(cap::offered + "Connection closed by 10.0.0.2 port 22\r\n")) == "ssh.closed-early");
    CHECK(cause(met(cap::offered + "Received disconnect from 10.0.0.2 port 22:2: Too many authentication failures\r\n")) ==
          "ssh.too-many-keys");
    CHECK(cause(met(cap::offered + "Received disconnect from 10.0.0.2 port 22:2: no\r\nDisconnected from 10.0.0.2 port 22\r\n")) ==
          "ssh.failed");
}

TEST_CASE("a server that takes no keys, and one that takes a key and wants a password as well") {
    const std::string only = cap::encrypted + "debug1: Authentications that can continue: password,keyboard-interactive\r\n";
    CHECK(cause(met(only + "ops@node-b: Permission denied (password,keyboard-interactive).\r\n")) == "ssh.auth-methods");
    const auto more =
        met(cap::accepted +
            "Authenticated using \"publickey\" with partial success.\r\ndebug1: Authentications that can continue: password\r\n"
            "ops@node-b: Permission denied (password).\r\n");
    CHECK(cause(more) == "ssh.auth-methods");
    CHECK(reason(more).find("takes the key and then wants more: password") != std::string::npos);
    CHECK(cause(met(cap::asked +
                    "debug1: send_pubkey_test: no mutual signature algorithm\r\nsend_pubkey_test: no mutual signature algorithm\r\n" +
                    cap::denied)) == "ssh.algorithms");
}

TEST_CASE("after the login: what ran instead, what did not, and what was lost on the way") {
    const std::string forced = "debug1: Remote: /home/ops/.ssh/authorized_keys:1: key options: agent-forwarding command pty\r\n";
    CHECK(cause(met(cap::authenticated + forced + cap::ended(0), "", "", 0)) == "ssh.forced-command");
    CHECK(cause(ran(0, "hi\n")) == "ssh.forced-command");
    CHECK(cause(ran(1, "This service allows sftp connections only.\n")) == "ssh.forced-command");
    CHECK(cause(ran(1, "This account is currently not available.\n")) == "ssh.no-shell");
    CHECK(cause(ran(128, "", "fatal: unrecognized command 'cat'\n")) == "ssh.no-shell");
    CHECK(cause(ran(1, "")) == "ssh.no-shell");
    CHECK(cause(ran(0, "")) == "ssh.no-answer");
    CHECK(cause(ran(127, "", "sh: 1: cat: not found\n")) == "ssh.no-command");
    CHECK(cause(ran(3, "", "cat: -: Input/output error\n")) == "ssh.failed");
    CHECK(cause(ran(1, "", "WARNING: Your password has expired.\nPassword change required but no TTY available.\n")) ==
          "ssh.account-closed");
    CHECK(cause(met(cap::authenticated + "channel 0: open failed: connect failed: open failed\r\n")) == "ssh.no-session");
    CHECK(cause(met(cap::running + "exec request failed on channel 0\r\n")) == "ssh.no-session");
    CHECK(reason(stuck(cap::running)).find("did not return") != std::string::npos);
    const auto held = stuck(cap::running + "debug1: client_input_channel_req: channel 0 rtype exit-status reply 0\r\n");
    CHECK(cause(held) == "ssh.command-stalled");
    CHECK(reason(held).find("holds the session open") != std::string::npos);
    CHECK(cause(met(cap::running + "Connection to node-b closed by remote host.\r\n")) == "ssh.connection-lost");
    // As it is where the peer's end is killed: the words are on stderr, and ssh writes a status that nobody sent.
    CHECK(cause(met(cap::running + "debug1: Exit status -1\r\n", "", "Connection to node-b closed by remote host.\r\n")) ==
          "ssh.connection-lost");
    CHECK(cause(met(cap::running + "Timeout, server node-b not responding.\r\n")) == "ssh.connection-lost");
}

TEST_CASE("a command that a signal ended is told from one that ended by itself, and from a connection that was lost") {
    const std::string signal = "debug1: client_input_channel_req: channel 0 rtype exit-signal reply 0\r\n";
    const std::string end = "debug1: Exit status -1\r\n";
    const auto c = met(cap::running + signal + end);
    CHECK(cause(c) == "ssh.command-killed");
    CHECK(reason(c) == "the login on node-b (10.0.0.2 port 22) works, and a signal there ended the command");
    CHECK(reason(met(cap::running + signal + end, "", "Killed\n")).ends_with("it said: 'Killed'"));
    CHECK(cause(met(cap::running + signal + end, nonce + "\n")) == "pass");  // after its answer, as a .bash_logout's would be
    CHECK(cause(met(cap::running + "debug1: client_input_channel_req: channel 0 rtype exit-status reply 0\r\n" + cap::ended(1))) ==
          "ssh.no-shell");
    CHECK(cause(met(cap::running + end, "", "Connection to node-b closed by remote host.\n")) == "ssh.connection-lost");
    CHECK(cause(met(cap::running + end)) == "ssh.failed");
}

TEST_CASE("an ssh before 9.0 says in other words that it is in") {
    const std::string log =
        cap::accepted +
        "debug1: Authentication succeeded (publickey).\r\nAuthenticated to node-b ([10.0.0.2]:22).\r\ndebug1: Sending command: cat\r\n";
    const auto t = read_trace(log);
    CHECK(t.stage == Stage::running);
    CHECK(t.method == "publickey");
    CHECK(cause(met(log + cap::ended(0), nonce + "\n", "", 0)) == "pass");
}

TEST_CASE("a remedy leads to the same host with the same configuration") {
    Case c = met(cap::offered + cap::denied);
    CHECK(judge_login(c, nonce).verdict.values["target"] == json::array({"ops@node-b"}));
    c.file = "~/.ssh/config";  // ssh reads it by itself
    CHECK(judge_login(c, nonce).verdict.values["target"] == json::array({"ops@node-b"}));
    c.file = "/etc/diag/ssh_config";
    CHECK(judge_login(c, nonce).verdict.values["target"] == json::array({"ops@node-b", "-F", "/etc/diag/ssh_config"}));
}

TEST_CASE("what cannot be told apart is ssh.failed with ssh's last line, printable") {
    const auto c = met(cap::asked + "ssh: a new complaint \x1b[31m\r\n");
    CHECK(cause(c) == "ssh.failed");
    CHECK(reason(c) == "no login to node-b (10.0.0.2 port 22): ssh ended with 255: 'ssh: a new complaint \\x1b[31m'");
    auto killed = met(cap::asked, "", "", 0);
    killed.answer.signal = 9;
    CHECK(cause(killed) == "ssh.failed");
}

TEST_CASE("a configuration that breaks launchers fails or warns though the login works; one that only sounds so does not") {
    const auto with = [](const std::string& dump) {
        Case c = ran(0, nonce + "\n");
        c.config = read_config(dump);
        const auto v = judge_login(c, nonce).verdict;
        return v.outcome == Outcome::pass       ? "pass"
               : v.outcome == Outcome::warn     ? "warn"
               : v.cause == "ssh.config-breaks" ? "fail"
                                                : v.cause;
    };
    for (const auto* dump : {"remotecommand tmux", "sessiontype none", "sessiontype subsystem", "forkafterauthentication yes",
                             "stdinnull yes", "requesttty force"})
        CHECK(with(dump) == "fail");
    for (const auto* dump :
         {"stricthostkeychecking false", "stricthostkeychecking accept-new", "requesttty true", "userknownhostsfile /dev/null",
          "permitlocalcommand yes\nlocalcommand echo", "exitonforwardfailure yes\nlocalforward 8080 x:80"})
        CHECK(with(dump) == "warn");
    for (const auto* dump : {"remotecommand none", "sessiontype default", "stdinnull no", "requesttty auto", "stricthostkeychecking ask",
                             "userknownhostsfile ~/.ssh/known_hosts /dev/null", "permitlocalcommand no\nlocalcommand echo",
                             "localforward 8080 x:80", "pubkeyauthentication false", "exitonforwardfailure yes"})
        CHECK(with(dump) == "pass");
    Case idle = ran(0, "");
    idle.config = read_config("stdinnull yes");
    CHECK(cause(idle) == "ssh.config-breaks");
}

TEST_CASE("the name under which the host's key is known follows the configuration") {
    CHECK(host_key_name(read_config("hostname node-b.lan\nport 22\n")) == "node-b.lan");
    CHECK(host_key_name(read_config("hostname node-b.lan\nport 2222\n")) == "[node-b.lan]:2222");
    CHECK(host_key_name(read_config("hostname 10.0.0.2\nport 2222\nhostkeyalias b\n")) == "b");
}

TEST_CASE("of many logins the worst speaks, the first of equals by name; all well is one pass") {
    const auto good = judge_login(ran(0, nonce + "\n"), nonce);
    const auto noisy = judge_login(ran(0, "x\n" + nonce + "\n"), nonce);
    const auto bad = judge_login(met(cap::offered + cap::denied), nonce);
    CHECK(judge_logins({{"a", good}, {"b", good}}).verdict.reason == "a command ran and returned on each of 2 machines");
    CHECK(judge_logins({{"a", good}, {"b", noisy}}).verdict.cause == "ssh.shell-noise");
    const auto all = judge_logins({{"a", good}, {"b", noisy}, {"c", bad}, {"d", bad}});
    CHECK(all.verdict.outcome == Outcome::fail);
    CHECK(all.verdict.reason.find("2 of 4 (ssh.key-refused): ") == 0);
    CHECK(all.saw == "2 of 4 logged in");
    CHECK(all.evidence.find("c d") != std::string::npos);
}

TEST_CASE("megabytes at a login are noise, of which the evidence and the reason have the beginning; a few lines are kept whole") {
    std::string flood;
    while (flood.size() < 5'000'000) flood += "welcome\n";
    const auto loud = judge_login(ran(0, flood + nonce + "\n"), nonce);
    CHECK(loud.verdict.outcome == Outcome::warn);
    CHECK(loud.verdict.cause == "ssh.shell-noise");
    CHECK(loud.verdict.reason.find("writes 5000000 bytes of its own") != std::string::npos);
    CHECK(loud.evidence.find("stdout, the first 4096 of 5000010 bytes:") != std::string::npos);
    CHECK(loud.evidence.size() < 20'000);
    const auto line = judge_login(ran(0, std::string(1'000'000, 'x') + "\n" + nonce + "\n"), nonce);
    CHECK(line.verdict.reason.size() < 300);
    CHECK(line.verdict.reason.ends_with("x...'"));
    const auto other = judge_login(ran(0, std::string(1'000'000, 'x')), nonce);  // no answer in it, and all of it was read
    CHECK(other.verdict.cause == "ssh.forced-command");
    CHECK(other.verdict.reason.size() < 300);
    const auto banner = judge_login(met(cap::offered + cap::denied, "", std::string(1'000'000, 'x')), nonce);
    CHECK(banner.verdict.cause == "ssh.key-refused");
    CHECK(banner.evidence.size() < 20'000);
    const auto few = judge_login(ran(0, "a\nb\n" + nonce + "\n"), nonce);
    CHECK(few.evidence.find("stdout:\n  a\n  b\n") != std::string::npos);
    CHECK(few.verdict.reason.ends_with("'a'"));
    std::vector<std::pair<std::string, LoginFinding>> many;
    for (int i = 0; i < 200; ++i) many.emplace_back("node-" + std::to_string(i), loud);
    const auto all = judge_logins(many);
    CHECK(all.verdict.cause == "ssh.shell-noise");
    CHECK(all.evidence.size() < 400'000);
    CHECK(all.evidence.find("node-199: the shell on") != std::string::npos);
    CHECK(all.evidence.find("for want of room: node-") != std::string::npos);
    many.resize(2);
    CHECK(judge_logins(many).evidence.find("for want of room") == std::string::npos);
}

TEST_CASE("more than is read is noise where the command ended well; a forced command of that size is none") {
    Case c = ran(0, "welcome\n");
    c.answer.out_cut = true;
    c.answer.out_left = 10'000'000;
    CHECK(cause(c) == "ssh.shell-noise");
    CHECK(reason(c).find("more than 10000008 bytes") != std::string::npos);
    c.trace.forced_key = true;
    CHECK(cause(c) == "ssh.forced-command");
    c.trace.forced_key = false;
    c.trace.exit_status = 1;
    CHECK(cause(c) == "ssh.forced-command");
}

TEST_CASE("what is quoted ends with a whole character") {
    std::string umlauts = "x";
    while (umlauts.size() < 200) umlauts += "\xc3\xa4";
    CHECK(excerpt(umlauts) == umlauts.substr(0, 119) + "...");
    CHECK(excerpt(std::string(120, 'x')) == std::string(120, 'x'));
}

}  // namespace classify_test
