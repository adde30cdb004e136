// ssh.login and ssh.logins against a real sshd: what the account, its shell, the configuration and many hosts make of a login.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd.hpp"
#include "sshd_ask.hpp"

namespace sshd_session_test {

using namespace diag::ssh::testing;
using diag::json;

TEST_CASE("what a shell writes by itself is noise, wherever it stands, and the login still counts") {
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
    SshdLab lab;
    lab.account("killed", lab.script("killed.sh", "kill -KILL $$\n"));
    lab.account("status", lab.script("status.sh", "exit 137\n"));
    lab.start();
    CHECK(as(lab, "killed") == "ssh.command-killed");
    CHECK(as(lab, "status") == "ssh.failed");
    CHECK(as(lab, "peer") == "pass");
}

TEST_CASE("a forced command is none where it runs what was asked for") {
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
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
    if (skipped(missing())) return;
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
    if (::geteuid() != 0) {
        WARN("skipped: an empty root folder needs root");
        return;
    }
    const diag::base::Fd root(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), here(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::string empty = fs::temp_directory_path() / "diag-no-ssh-XXXXXX";
    REQUIRE(::mkdtemp(empty.data()) != nullptr);
    REQUIRE(::chroot(empty.c_str()) == 0);  // the usual folders of programs are looked in whatever PATH says
    const auto answer = diag::testing::ask(*diag_plugin_v1(), "login", {{"host", "127.0.0.1"}});
    REQUIRE((::fchdir(root.get()) == 0 && ::chroot(".") == 0 && ::fchdir(here.get()) == 0));
    CHECK(fs::remove(empty));
    CHECK(answer.outcome() == "fail");
    CHECK(answer.cause() == "ssh.client-missing");
}

}  // namespace sshd_session_test
