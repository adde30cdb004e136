// ssh.login against a real sshd: each cause as this machine's OpenSSH words it, and its look-alikes.
#include <thread>

#include <diag/testing.hpp>

#include "catch.hpp"
#include "sshd_lab.hpp"

namespace sshd_test {

extern "C" const diag_abi* diag_plugin_v1();

using namespace diag::ssh::testing;
using diag::json;
using diag::base::Fd;
using diag::testing::Answer;

static bool no_lab() {
    const auto why = missing();
    if (why) WARN("skipped: " << *why);
    return why.has_value();
}

static Answer login(const SshdLab& lab, json more = json::object()) {
    json params = {{"host", "127.0.0.1"}, {"config", lab.config()}};
    params.update(more);
    return diag::testing::ask(*diag_plugin_v1(), "login", params);
}

// The cause; "pass" where there is none.  A wrong one is shown with its reason and evidence.
static std::string cause(const Answer& answer) {
    std::string text = answer.reason();
    for (const auto& event : answer.events)
        if (event["event"] == "evidence") text += "\n" + event["text"].get<std::string>();
    UNSCOPED_INFO(text);
    return answer.cause().empty() ? answer.outcome() : answer.cause();
}

static std::string as(const SshdLab& lab, const std::string& user) { return cause(login(lab, {{"user", user}})); }

TEST_CASE("a login that works passes, is timed, and a banner or a message on stderr changes nothing") {
    if (no_lab()) return;
    SshdLab lab;
    spill(lab.folder / "banner", "Authorised use only.\nPermission denied (publickey).\nHost key verification failed.\n");
    lab.account("chatty", lab.script("chatty.sh", "echo careful >&2\nexec /bin/sh \"$@\"\n"));
    lab.start("Banner " + (lab.folder / "banner").string());
    const auto answer = login(lab);
    CHECK(cause(answer) == "pass");
    CHECK(answer.measured("login") > 0);
    CHECK(as(lab, "chatty") == "pass");
    CHECK(cause(login(lab, {{"address", "127.0.0.1"}})) == "pass");
}

TEST_CASE("what a shell writes by itself is noise, wherever it stands, and the login still counts") {
    if (no_lab()) return;
    SshdLab lab;
    lab.account("noisy", lab.script("noisy.sh", "echo Welcome\nexec /bin/sh \"$@\"\n"));
    lab.account("late", lab.script("late.sh", "/bin/sh \"$@\"\nprintf bye\n"));
    lab.start();
    const auto answer = login(lab, {{"user", "noisy"}});
    CHECK(cause(answer) == "ssh.shell-noise");
    CHECK(answer.outcome() == "warn");
    CHECK(answer.reason().find("Welcome") != std::string::npos);
    CHECK(as(lab, "late") == "ssh.shell-noise");
}

TEST_CASE("five megabytes at a login are noise and no more, from one machine and from several") {
    if (no_lab()) return;
    SshdLab lab;
    lab.account("noisy", lab.script("noisy.sh", "yes welcome | head -c 5000000\nexec /bin/sh \"$@\"\n"));
    lab.account("long", lab.script("long.sh", "head -c 1000000 /dev/zero | tr '\\0' x\nexec /bin/sh \"$@\"\n"));
    lab.account("other", lab.script("other.sh", "yes welcome | head -c 5000000\n"));  // and never the command
    lab.start();
    const auto size = [](const Answer& answer) {
        std::size_t bytes = answer.reason().size();
        for (const auto& event : answer.events) bytes += event.dump().size();
        return bytes;
    };
    const auto answer = login(lab, {{"user", "noisy"}});
    CHECK(cause(answer) == "ssh.shell-noise");
    CHECK(answer.outcome() == "warn");
    CHECK(answer.reason().find("writes 5000000 bytes of its own to stdout: 'welcome'") != std::string::npos);
    CHECK(size(answer) < 60'000);
    CHECK(as(lab, "other") == "ssh.forced-command");
    const auto several = diag::testing::ask(
        *diag_plugin_v1(), "logins", {{"hosts", {"127.0.0.1", "127.0.0.1", "127.0.0.1"}}, {"user", "long"}, {"config", lab.config()}});
    CHECK(cause(several) == "ssh.shell-noise");
    CHECK(several.reason().size() < 400);
    CHECK(size(several) < 120'000);
}

TEST_CASE("a command that is killed on the peer is told from one that ends with the status of a kill") {
    if (no_lab()) return;
    SshdLab lab;
    lab.account("killed", lab.script("killed.sh", "kill -KILL $$\n"));
    lab.account("status", lab.script("status.sh", "exit 137\n"));
    lab.start();
    CHECK(as(lab, "killed") == "ssh.command-killed");
    CHECK(as(lab, "status") == "ssh.failed");
    CHECK(as(lab, "peer") == "pass");
}

TEST_CASE("an unknown host key is told from a changed one, and that with file and line") {
    if (no_lab()) return;
    SshdLab lab;
    lab.start();
    lab.known("");
    const auto unknown = login(lab);
    CHECK(cause(unknown) == "ssh.host-key-unknown");
    CHECK(unknown.reason().find("SHA256:") != std::string::npos);
    lab.known("other-host");
    const auto changed = login(lab);
    CHECK(cause(changed) == "ssh.host-key-changed");
    CHECK(changed.reason().find("line 2 of " + (lab.folder / "known").string()) != std::string::npos);
    CHECK(changed.verdict["values"]["file"] == (lab.folder / "known").string());
    CHECK(changed.verdict["values"]["known_as"] == "[127.0.0.1]:2222");
    lab.known("host");
    spill(lab.folder / "known", "@revoked " + slurp(lab.folder / "known").substr(15));
    CHECK(cause(login(lab)) == "ssh.host-key-revoked");
    lab.configure("id", "UserKnownHostsFile /dev/null");
    CHECK(cause(login(lab)) == "ssh.config-breaks");
}

TEST_CASE("a key that is refused, locked, exposed, broken or not there are five answers") {
    if (no_lab()) return;
    SshdLab lab;
    lab.start();
    const auto with = [&](const std::string& key) {
        lab.configure(key);
        return cause(login(lab));
    };
    CHECK(with("stranger") == "ssh.key-refused");
    CHECK(with("locked") == "ssh.key-passphrase");
    CHECK(with("absent") == "ssh.key-missing");
    spill(lab.folder / "broken", "no key\n", 0600);
    CHECK(with("broken") == "ssh.key-broken");
    spill(lab.folder / "open", slurp(lab.folder / "id"), 0644);
    CHECK(with("open") == "ssh.permissions");
    fs::copy_file(lab.folder / "id.pub", lab.folder / "half.pub");
    CHECK(with("half") == "ssh.key-missing");
    CHECK(with("id") == "pass");
}

TEST_CASE("an old key without its public half beside it is still found to need a passphrase") {
    if (no_lab()) return;
    SshdLab lab;
    REQUIRE(run({"ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "secret", "-f", lab.folder / "pem"}) == 0);
    fs::remove(lab.folder / "pem.pub");
    lab.configure("pem");
    lab.start();
    CHECK(cause(login(lab)) == "ssh.key-passphrase");
}

TEST_CASE("StrictModes refuses what the client cannot see; a private group may write, as on Debian and Ubuntu") {
    if (no_lab()) return;
    SshdLab lab;
    const auto home = lab.folder / "peer";
    lab.start();
    ::chmod(home.c_str(), 0777);
    CHECK(cause(login(lab)) == "ssh.key-refused");
    ::chmod(home.c_str(), 0775);
    if (fs::exists("/etc/debian_version")) CHECK(cause(login(lab)) == "pass");
    lab.stop();
    const std::string groups = slurp(lab.folder / "group");
    const std::size_t line = groups.find("peer:x:");
    spill(lab.folder / "group", groups.substr(0, groups.find('\n', line)) + "daemon\n");
    lab.start();
    CHECK(cause(login(lab)) == "ssh.key-refused");
    lab.keys_of("peer", "from=\"10.9.9.9\" " + slurp(lab.folder / "id.pub"));
    ::chmod(home.c_str(), 0755);
    CHECK(cause(login(lab)) == "ssh.key-refused");
}

TEST_CASE("a port that refuses, an address without a route and a name without an address") {
    if (no_lab()) return;
    SshdLab lab;
    CHECK(cause(login(lab)) == "ssh.refused");
    CHECK(cause(login(lab, {{"host", "192.0.2.1"}})) == "ssh.no-route");
    for (const auto* kind : {"prohibit", "blackhole", "unreachable"}) {
        must(std::string("ip route replace ") + kind + " 192.0.2.1");
        CHECK(cause(login(lab, {{"host", "192.0.2.1"}})) == "ssh.no-route");
    }
    CHECK(cause(login(lab, {{"host", "no-such-host.invalid"}})) == "ssh.name-unresolved");
    lab.configure("id", "ProxyCommand echo this way is closed >&2");
    const auto proxy = login(lab);
    CHECK(cause(proxy) == "ssh.proxy-failed");
    CHECK(proxy.reason().find("this way is closed") != std::string::npos);
}

TEST_CASE("dropped packets time out; only large ones dropped stall the key exchange, and that is said to be the path MTU's sign") {
    if (no_lab()) return;
    SshdLab lab;
    lab.start();
    must("nft add table inet t");
    must("nft add chain inet t c { type filter hook input priority 0 ; }");
    must("nft add rule inet t c meta length gt 700 drop");
    const auto stalled = login(lab, {{"timeout", 2}});
    CHECK(cause(stalled) == "ssh.kex-stalled");
    CHECK(stalled.reason().find("diag check mtu.path") != std::string::npos);
    must("nft flush chain inet t c");
    must("nft add rule inet t c tcp dport 2222 drop");
    CHECK(cause(login(lab, {{"timeout", 2}})) == "ssh.timeout");
    must("nft flush chain inet t c");
    must("nft add rule inet t c tcp dport 2222 reject with icmp type admin-prohibited");
    CHECK(cause(login(lab)) == "ssh.no-route");
}

// Serves one connection: says `words`, waits for an end, or closes at once.
static std::thread answering(const Fd& listener, const std::string& words, bool wait) {
    return std::thread([fd = listener.get(), words, wait] {
        const Fd peer(::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC));
        [[maybe_unused]] const auto sent = ::send(peer.get(), words.data(), words.size(), MSG_NOSIGNAL);
        char block[4096];
        while (wait && ::recv(peer.get(), block, sizeof block, 0) > 0) {
        }
    });
}

TEST_CASE("what accepts and is silent, is silent after its banner, is no sshd, or hangs up; four answers, and two words of sshd") {
    if (no_lab()) return;
    SshdLab lab;
    const Fd listener = SshdLab::listener();
    const auto met = [&](const std::string& words, bool wait) {
        auto server = answering(listener, words, wait);
        const auto found = cause(login(lab, {{"timeout", 2}}));
        server.join();
        return found;
    };
    CHECK(met("", true) == "ssh.no-banner");
    CHECK(met("SSH-2.0-OpenSSH_9.9\r\n", true) == "ssh.kex-stalled");
    CHECK(met("HTTP/1.1 400 Bad Request\r\n\r\n", false) == "ssh.not-ssh");
    CHECK(met("SSH-1.5-old\r\n", false) == "ssh.not-ssh");
    CHECK(met("", false) == "ssh.closed-early");
    CHECK(met("Not allowed at this time\r\n", false) == "ssh.turned-away");
    CHECK(met("Exceeded MaxStartups\r\n", false) == "ssh.startup-limit");
}

TEST_CASE("MaxStartups is named while others wait for their login, and is over when they are gone") {
    if (no_lab()) return;
    SshdLab lab;
    lab.start("MaxStartups 1:100:1");
    {
        const Fd idle = SshdLab::unfinished();
        CHECK(cause(login(lab)) == (SshdLab::knows_penalties() ? "ssh.turned-away" : "ssh.startup-limit"));
    }
    ::usleep(200'000);
    CHECK(cause(login(lab)) == "pass");
}

TEST_CASE("after a refused key, an sshd that gives penalties turns even a good login away, and that is no refused key") {
    if (no_lab()) return;
    if (!SshdLab::knows_penalties()) {
        WARN("skipped: this sshd has no PerSourcePenalties (OpenSSH 9.8)");
        return;
    }
    SshdLab lab;
    lab.start("PerSourcePenalties authfail:60s min:1s", false);
    CHECK(cause(login(lab)) == "pass");
    lab.configure("stranger");
    CHECK(cause(login(lab)) == "ssh.key-refused");
    lab.configure("id");
    CHECK(cause(login(lab)) == "ssh.turned-away");
}

TEST_CASE("a forced command is none where it runs what was asked for") {
    if (no_lab()) return;
    SshdLab lab;
    const auto key = slurp(lab.folder / "id.pub");
    lab.start();
    lab.keys_of("peer", "command=\"echo hello\" " + key);
    CHECK(cause(login(lab)) == "ssh.forced-command");
    lab.keys_of("peer", "command=\"true\" " + key);
    CHECK(cause(login(lab)) == "ssh.forced-command");
    lab.keys_of("peer", "command=\"exec $SSH_ORIGINAL_COMMAND\" " + key);
    CHECK(cause(login(lab)) == "pass");
    lab.keys_of("peer", key);
    lab.start("ForceCommand internal-sftp");
    CHECK(cause(login(lab)) == "ssh.forced-command");
    lab.start("MaxSessions 0");
    CHECK(cause(login(lab)) == "ssh.no-session");
}

TEST_CASE("shells that run nothing, find nothing, eat the input, hang or are not there") {
    if (no_lab()) return;
    SshdLab lab;
    lab.account("nologin", "/usr/sbin/nologin");
    lab.account("false", "/bin/false");
    lab.account("lost", lab.script("lost.sh", "PATH=/nowhere exec /bin/sh \"$@\"\n"));
    lab.account("eater", lab.script("eater.sh", "read x\nexec /bin/sh \"$@\"\n"));
    lab.account("stuck", lab.script("stuck.sh", "exec sleep 20\n"));
    lab.account("holder", lab.script("holder.sh", "sleep 20 &\nexec /bin/sh \"$@\"\n"));
    lab.account("gone", "/no/such/shell");
    lab.start();
    CHECK(as(lab, "nologin") == "ssh.no-shell");
    CHECK(as(lab, "false") == "ssh.no-shell");
    CHECK(as(lab, "lost") == "ssh.no-command");
    CHECK(as(lab, "eater") == "ssh.no-answer");
    CHECK(cause(login(lab, {{"user", "stuck"}, {"timeout", 2}})) == "ssh.command-stalled");
    CHECK(login(lab, {{"user", "holder"}, {"timeout", 2}}).reason().find("holds the session open") != std::string::npos);
    CHECK(as(lab, "gone") == "ssh.key-refused");
}

TEST_CASE("a server without keys, one that wants a password too, too many keys, no common algorithm") {
    if (no_lab()) return;
    SshdLab lab;
    lab.start("PubkeyAuthentication no\nPasswordAuthentication yes");
    CHECK(cause(login(lab)) == "ssh.auth-methods");
    lab.start("PasswordAuthentication yes\nAuthenticationMethods publickey,password");
    CHECK(cause(login(lab)) == "ssh.auth-methods");
    lab.start("PasswordAuthentication yes");
    CHECK(cause(login(lab)) == "pass");
    lab.start("MaxAuthTries 1");
    lab.configure("id", "IdentityFile " + (lab.folder / "stranger").string());
    CHECK(cause(login(lab)) == "ssh.too-many-keys");
    lab.configure("id", "Ciphers aes128-cbc");
    CHECK(cause(login(lab)) == "ssh.algorithms");
}

TEST_CASE("a configuration that breaks launchers is found although our own login works") {
    if (no_lab()) return;
    SshdLab lab;
    lab.start();
    const auto with = [&](const std::string& line) {
        lab.configure("id", line);
        const auto answer = login(lab);
        return answer.outcome() + " " + cause(answer);
    };
    CHECK(with("RemoteCommand tmux") == "fail ssh.config-breaks");
    CHECK(with("RequestTTY force") == "fail ssh.config-breaks");
    CHECK(with("StdinNull yes") == "fail ssh.config-breaks");
    CHECK(with("StrictHostKeyChecking no") == "warn ssh.config-breaks");
    CHECK(with("StrictHostKeyChecking accept-new") == "warn ssh.config-breaks");
    CHECK(with("PubkeyAuthentication no") == "fail ssh.config-breaks");
    CHECK(with("StrictHostKeyChecking ask\nForwardX11 no\nRemoteCommand none") == "pass pass");
    CHECK(with("Bogus yes") == "fail ssh.config-invalid");
    fs::remove(lab.config());
    CHECK(cause(login(lab)) == "ssh.config-invalid");
}

TEST_CASE("a jump host's own login is not taken for the peer's, and its failure not for the peer's") {
    if (no_lab()) return;
    SshdLab lab;
    lab.start();
    const auto by = [&](const std::string& jump) {
        lab.configure("id", "Host behind\nHostName 127.0.0.1\nProxyJump " + jump + "\nHost *");
    };
    by("127.0.0.1");
    CHECK(cause(login(lab, {{"host", "behind"}})) == "pass");
    CHECK(cause(login(lab, {{"host", "behind"}, {"user", "nobody-here"}})) == "ssh.key-refused");
    by("127.0.0.1:2223");
    const auto answer = login(lab, {{"host", "behind"}});
    CHECK(cause(answer) == "ssh.proxy-failed");
    CHECK(answer.reason().find("port 2223: Connection refused") != std::string::npos);
}

TEST_CASE("an address is reached with the key that is known for the host, and with no other") {
    if (no_lab()) return;
    SshdLab lab;
    lab.start();
    lab.configure("id", "Host alias\nHostName 127.0.0.9\nHost *");
    const std::string known = slurp(lab.folder / "known");
    CHECK(cause(login(lab, {{"host", "alias"}})) == "ssh.refused");
    CHECK(cause(login(lab, {{"host", "alias"}, {"address", "127.0.0.1"}})) == "ssh.host-key-unknown");
    spill(lab.folder / "known", "[127.0.0.9]" + known.substr(known.find(":2222")));
    CHECK(cause(login(lab, {{"host", "alias"}, {"address", "127.0.0.1"}})) == "pass");
}

TEST_CASE("neither a quiet log nor a connection that stands already hides what a login meets") {
    if (no_lab()) return;
    SshdLab lab;
    lab.start();
    const std::string shared = "ControlMaster auto\nControlPersist 5\nControlPath " + (lab.folder / "master").string();
    lab.configure("id", shared);
    REQUIRE(run({"ssh", "-o", "BatchMode=yes", "-F", lab.config(), "-f", "-N", "127.0.0.1"}) == 0);
    REQUIRE(fs::exists(lab.folder / "master"));
    lab.configure("stranger", shared + "\nLogLevel QUIET");
    CHECK(cause(login(lab)) == "ssh.key-refused");
    run({"ssh", "-F", lab.config(), "-O", "exit", "127.0.0.1"});
}

TEST_CASE("many logins side by side: the worst is told by name, equal answers are folded") {
    if (no_lab()) return;
    SshdLab lab;
    lab.start();
    const json config = lab.config();
    const auto fine =
        diag::testing::ask(*diag_plugin_v1(), "logins", {{"hosts", {"127.0.0.1", "127.0.0.1", "127.0.0.1"}}, {"config", config}});
    CHECK(cause(fine) == "pass");
    CHECK(fine.measured("slowest") > 0);
    const auto one =
        diag::testing::ask(*diag_plugin_v1(), "logins", {{"hosts", {"127.0.0.1", "192.0.2.1", "192.0.2.2"}}, {"config", config}});
    CHECK(cause(one) == "ssh.no-route");
    CHECK(one.reason().find("2 of 3") == 0);
    CHECK(one.reason().find("192.0.2.1") != std::string::npos);
}

TEST_CASE("no ssh on this machine is a fail of its own") {
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", "/nowhere", 1);
    const bool there = diag::base::find_program("ssh").has_value();  // the sbin folders are looked in, too
    const auto answer = diag::testing::ask(*diag_plugin_v1(), "login", {{"host", "127.0.0.1"}});
    ::setenv("PATH", path.c_str(), 1);
    if (!there) CHECK(answer.cause() == "ssh.client-missing");
}

}  // namespace sshd_test
