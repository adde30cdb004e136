// ssh.login against a real sshd, up to the account: each cause as this machine's OpenSSH words it, and its look-alikes.
#include <thread>

#include "sshd_ask.hpp"

namespace sshd_test {

using namespace diag::ssh::testing;
using diag::json;
using diag::base::Fd;

TEST_CASE("a login that works passes, is timed, and a banner or a message on stderr changes nothing") {
    if (skipped(missing())) return;
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

TEST_CASE("an unknown host key is told from a changed one, and that with file and line") {
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
    SshdLab lab;
    REQUIRE(run({"ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "secret", "-f", lab.folder / "pem"}) == 0);
    fs::remove(lab.folder / "pem.pub");
    lab.configure("pem");
    lab.start();
    CHECK(cause(login(lab)) == "ssh.key-passphrase");
}

TEST_CASE("StrictModes refuses what the client cannot see; a private group may write, as on Debian and Ubuntu") {
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
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

}  // namespace sshd_test
