#include <algorithm>

#include "catch.hpp"
#include "lab/ssh_files.hpp"
#include "lab/sshd.hpp"
#include "lab/test_support.hpp"
#include "lab/topology.hpp"

using namespace diag::lab;
using namespace diag::lab::testing;

static bool may_run() {
    if (::geteuid() == 0 && load_state().nodes == 0 && have_sshd()) return true;
    WARN("skipped: needs root, sshd, and no lab on this machine");
    return false;
}

static const std::string ssh =
    fmt::format("ssh -F {} -T -o BatchMode=yes -o StrictHostKeyChecking=yes -o ConnectTimeout=5", ssh_config_path);

static std::string on(const std::string& node, const std::string& script) { return output({"exec", node, "--", "sh", "-c", script}); }

TEST_CASE("Every node logs in to every other by every name and address, and is that node there") {
    if (!may_run()) return;
    REQUIRE(lab({"up", "--nodes", "4"}) == 0);
    const Topology four = topology(4);
    for (const std::string& from : four.nodes) {
        std::string script, expected;
        for (const Wire& wire : four.wires) {
            const auto here = std::find_if(wire.ends.begin(), wire.ends.end(), [&](const End& end) { return end.node == from; });
            if (here == wire.ends.end()) continue;
            for (const End& end : wire.ends) {
                if (end.node == from) continue;
                std::vector<std::string> names{end.name};
                if (from == "a") names.insert(names.end(), {short_name(end.name), end.v4, end.v6});  // one login takes a while
                for (const auto& name : names) {
                    script +=
                        fmt::format("{} {} 'cat /proc/sys/kernel/hostname; printenv DIAG_MACHINE; ls /sys/class/net | wc -l'\n", ssh, name);
                    expected += fmt::format("{0}\n{0}\n5\n", machine_of(end.node));  // lo, house, three cables
                }
            }
        }
        CHECK(on(from, script) == expected);
    }
    CHECK(lab({"down"}) == 0);
}

TEST_CASE("A session has the environment of `lab exec`, and finds the programs of this installation") {
    if (!may_run()) return;
    REQUIRE(lab({"up"}) == 0);
    const std::string folder = std::filesystem::path(DIAG_LAB_DEV).parent_path();
    CHECK_THAT(on("a", ssh + " node-b 'printenv PATH'"), ContainsSubstring(folder + ":"));
    const std::string names = "DIAG_MACHINE DIAG_SITE DIAG_LAB DIAG_LOCK";
    CHECK(on("a", ssh + " node-b printenv " + names) == on("b", "printenv " + names));
    CHECK(on("a", "printenv DIAG_LOCK") != on("b", "printenv DIAG_LOCK"));  // or the nodes would wait for each other
    CHECK_THAT(on("b", "$(command -v sshd || echo /usr/sbin/sshd) -T"),
               ContainsSubstring("authorizedkeysfile /run/diag-lab/ssh/authorized_keys"));
    CHECK(on("a", ssh + " node-b 'echo $HOME'") == "/run/diag-lab/ssh\n");  // and no start file of this machine's root
    CHECK_THAT(on("a", "ssh -G node-b"), ContainsSubstring("identityfile /run/diag-lab/ssh/id_ed25519"));
    CHECK(lab({"exec", "a", "--", "setpriv", "--reuid=65534", "--clear-groups", "sh", "-c", ": >> $DIAG_LOCK"}) == 0);
    CHECK(lab({"down"}) == 0);
}

TEST_CASE("In a node one is root, also under sudo: ssh must not run as a user who cannot read the node's key") {
    if (!may_run()) return;
    REQUIRE(lab({"up"}) == 0);
    ::setenv("SUDO_UID", "1000", 1);
    CHECK(output({"exec", "a", "--", "printenv", "SUDO_UID"}).empty());
    ::unsetenv("SUDO_UID");
    CHECK(lab({"down"}) == 0);
}

TEST_CASE("Down ends the sessions that are open, and what they left in the background") {
    if (!may_run()) return;
    const std::string before = traces();
    REQUIRE(lab({"up"}) == 0);
    const pid_t session =
        start({"exec", "a", "--", "sh", "-c", ssh + " node-b 'setsid sleep 4711 </dev/null >/dev/null 2>&1 & sleep 4711'"});
    for (int i = 0; i < 100 && on("b", "pgrep -xfc 'sleep 4711'") != "2\n"; ++i) pause(20);
    CHECK(on("b", "pgrep -xfc 'sleep 4711'") == "2\n");
    CHECK(lab({"down"}) == 0);
    CHECK(finish(session) != 0);
    CHECK(traces() == before);
    CHECK(run({"sh", "-c", "pgrep -xfc 'sleep 4711' || true"}) == "0\n");
}

TEST_CASE("Mend brings back an sshd that was killed, and every file of it that was changed") {
    if (!may_run()) return;
    REQUIRE(lab({"up"}) == 0);
    const auto logs_in = [] { return lab({"exec", "a", "--", "sh", "-c", ssh + " node-b true"}) == 0; };
    const std::string mended = fmt::format("/tmp/diag-lab-mended-{}", ::getpid());
    const pid_t shell =
        start({"exec", "a", "--", "sh", "-c", fmt::format("until [ -e {} ]; do sleep 0.1; done; {} node-b true", mended, ssh)});
    pause(200);
    CHECK(logs_in());
    const pid_t server = std::stoi(diag::base::read_file(ssh_folder_of("b") / "sshd.pid"));
    REQUIRE(::kill(server, SIGKILL) == 0);
    CHECK_FALSE(logs_in());
    CHECK(lab({"mend"}) == 0);
    CHECK(logs_in());
    for (const char* file : {"authorized_keys", "host_key", "sshd_config", "sshd.pid"}) std::filesystem::remove(ssh_folder_of("b") / file);
    for (const char* file : {"config", "known_hosts", "id_ed25519"}) std::filesystem::remove(ssh_folder_of("a") / file);
    CHECK_FALSE(logs_in());
    CHECK(lab({"mend"}) == 0);
    CHECK(logs_in());
    std::ofstream(mended) << "";
    CHECK(finish(shell) == 0);  // one that was open before sees the same
    std::filesystem::remove(mended);
    CHECK(lab({"down"}) == 0);
}

TEST_CASE("A login to a node is none to this machine: no key, log or list of logins of its own is touched") {
    if (!may_run()) return;
    const auto look = [] {
        return run({"sh", "-c",
                    "find /etc/ssh ~root/.ssh /etc/shadow /var/log/wtmp /var/log/btmp /var/log/lastlog /run/utmp /run/sshd -printf "
                    "'%p %s %m %i %T@\\n' 2>&1; true"});
    };
    const std::string before = look();
    REQUIRE(lab({"up"}) == 0);
    CHECK_THAT(on("a", "ssh -F " + std::string(ssh_config_path) + " -tt node-b 'echo in' </dev/null"), ContainsSubstring("in"));
    CHECK(lab({"down"}) == 0);
    CHECK(look() == before);
}
