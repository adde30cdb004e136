// ssh.keys over a world in memory: this side's keys and agent, and the modes that sshd insists on.
#include "keys_judge.hpp"

#include "catch.hpp"
#include "fake_world.hpp"

namespace keys_test {

using namespace diag;
using namespace diag::ssh;

static const std::string id = "/home/ops/.ssh/id_ed25519";
static const std::string print = "256 SHA256:abc ops@node-a (ED25519)";

static Verdict here(FakeWorld& world) { return judge_keys({{"node-b", "", ""}, true, false}, world).verdict; }
static Verdict there(FakeWorld& world) { return judge_keys({{"node-b", "", ""}, false, true}, world).verdict; }
static std::string word(const Verdict& v) {
    return v.outcome == Outcome::pass ? "pass" : (v.outcome == Outcome::warn ? "warn " : "") + v.cause;
}

TEST_CASE("a key without a passphrase is enough; none, a locked, an open, a broken and an unreadable one are not") {
    FakeWorld world;
    CHECK(word(here(world)) == "ssh.key-missing");
    const auto with = [&](KeyState state) {
        world.keys[id] = {state, "why", print};
        return word(here(world));
    };
    CHECK(with(KeyState::plain) == "pass");
    CHECK(with(KeyState::encrypted) == "ssh.key-passphrase");
    CHECK(with(KeyState::exposed) == "ssh.permissions");
    CHECK(with(KeyState::unreadable) == "ssh.permissions");
    CHECK(with(KeyState::broken) == "ssh.key-broken");
    CHECK(here(world).values["path"] == id);
}

TEST_CASE("an agent that holds the key opens it; one that is silent, empty or holds another does not") {
    FakeWorld world;
    world.dump += "identitiesonly yes\n";
    world.keys[id] = {KeyState::encrypted, "", print};
    const auto with = [&](Agent::State state, const std::vector<std::string>& keys) {
        world.agents[""] = {state, "/run/agent", keys};
        return word(here(world));
    };
    CHECK(with(Agent::State::holds, {"256 SHA256:abc another comment (ED25519)"}) == "pass");
    CHECK(with(Agent::State::holds, {"256 SHA256:xyz ops@node-a (ED25519)"}) == "ssh.key-passphrase");
    CHECK(with(Agent::State::empty, {}) == "ssh.key-passphrase");
    CHECK(with(Agent::State::silent, {}) == "ssh.key-passphrase");
    world.dump = "identityfile ~/.ssh/id_ed25519\n";  // without IdentitiesOnly, any key of the agent is offered
    CHECK(with(Agent::State::holds, {"256 SHA256:xyz ops@node-a (ED25519)"}) == "pass");
    world.dump += "identityagent none\n";
    CHECK(word(here(world)) == "ssh.key-passphrase");
    world.dump = "identityfile %d/.ssh/id_ed25519\nidentityagent ~/agent\n";
    world.agents["/home/ops/agent"] = {Agent::State::holds, "/home/ops/agent", {print}};
    CHECK(word(here(world)) == "pass");
}

TEST_CASE("an open key beside a good one warns, and a locked one beside a good one is nothing") {
    FakeWorld world;
    world.keys[id] = {KeyState::plain, "", print};
    world.keys["/home/ops/.ssh/id_rsa"] = {KeyState::exposed, "", ""};
    CHECK(word(here(world)) == "warn ssh.permissions");
    world.keys["/home/ops/.ssh/id_rsa"] = {KeyState::encrypted, "", ""};
    CHECK(word(here(world)) == "pass");
}

TEST_CASE("a configuration that ssh refuses is told from one that others may change") {
    FakeWorld world;
    world.words = "/x: line 9: Bad configuration option: bogus\r\n";
    CHECK(word(here(world)) == "ssh.config-invalid");
    world.words = "Bad owner or permissions on /home/ops/.ssh/config\r\n";
    CHECK(word(here(world)) == "ssh.permissions");
}

TEST_CASE("no fingerprint is mistaken for a key: the evidence holds fingerprints, modes and paths") {
    FakeWorld world;
    world.keys[id] = {KeyState::plain, "", print};
    const auto finding = judge_keys({{"node-b", "", ""}, true, true}, world);
    CHECK(finding.verdict.outcome == Outcome::pass);
    CHECK(finding.evidence.find("SHA256:abc") != std::string::npos);
    CHECK(finding.evidence.find("/home/ops/.ssh/authorized_keys: 0600 ops:ops") != std::string::npos);
    CHECK(finding.evidence.find("defaults are assumed") != std::string::npos);
}

TEST_CASE("a private group may write to the home, as on Debian and Ubuntu; any other may not") {
    FakeWorld world;
    CHECK(word(there(world)) == "pass");
    auto& home = world.files["/home/ops"];
    home.mode = 0775;
    CHECK(word(there(world)) == "pass");
    world.groups[1000].listed = {"ops"};
    CHECK(word(there(world)) == "pass");
    world.groups[1000].listed = {"ops", "eve"};
    CHECK(word(there(world)) == "ssh.permissions-there");
    CHECK(there(world).values["path"] == "/home/ops");
    CHECK(there(world).reason.find("eve is in it") != std::string::npos);
    world.groups[1000] = {"ops", {"ops", "eve"}, {}};
    CHECK(word(there(world)) == "ssh.permissions-there");
    world.groups[1000] = {"ops", {}, {}};  // a group in which nobody is
    CHECK(word(there(world)) == "ssh.permissions-there");
    world.groups.erase(1000);
    CHECK(word(there(world)) == "ssh.permissions-there");
    home.mode = 0755;
    CHECK(word(there(world)) == "pass");
    home.group = 100;
    CHECK(word(there(world)) == "pass");  // a group that may only read may be anybody's
    home.mode = 0757;
    CHECK(word(there(world)) == "ssh.permissions-there");
}

TEST_CASE("whose the files are counts, and only up to the home; a link counts where it leads") {
    FakeWorld world;
    world.files["/home"].mode = 01777;
    CHECK(word(there(world)) == "pass");
    world.files["/home/ops/.ssh"].owner = 0;
    CHECK(word(there(world)) == "pass");
    world.files["/home/ops/.ssh"].owner = 1001;
    CHECK(there(world).reason.find("it belongs to eve") != std::string::npos);
    world.files["/home/ops/.ssh"].owner = 1000;
    world.links["/home/ops/.ssh/authorized_keys"] = "/shared/keys";
    world.files["/shared"] = {FileState::Kind::folder, 0, 100, 0775, 0};
    world.files["/shared/keys"] = {FileState::Kind::file, 0, 0, 0644, 80};
    CHECK(there(world).values["path"] == "/shared");
    world.files["/shared"].mode = 0755;
    CHECK(word(there(world)) == "pass");
}

TEST_CASE("key files that are absent, empty and unreadable are three answers; without them being asked for, no failure") {
    FakeWorld world;
    const std::string file = "/home/ops/.ssh/authorized_keys";
    world.files[file].size = 0;
    CHECK(word(there(world)) == "ssh.no-authorized-keys");
    CHECK(there(world).reason.find("is empty") != std::string::npos);
    world.files.erase(file);
    CHECK(there(world).reason.find("is not there") != std::string::npos);
    world.locked[file] = "";
    CHECK(word(there(world)) == "ssh.permissions-there");
    world.locked.clear();
    world.keys[id] = {KeyState::plain, "", print};
    const auto both = judge_keys({{"node-b", "", ""}, true, true}, world);
    CHECK(both.verdict.outcome == Outcome::pass);
    CHECK(both.saw.find("no key may log in to ops") != std::string::npos);
}

TEST_CASE("what sshd's own configuration says counts before its defaults") {
    FakeWorld world;
    world.files["/home/ops"].mode = 0777;
    world.server = "strictmodes no\nauthorizedkeysfile .ssh/authorized_keys\n";
    CHECK(word(there(world)) == "pass");
    world.files["/home/ops"].mode = 0755;
    world.server = "strictmodes yes\nauthorizedkeysfile /etc/ssh/keys/%u %h/keys\n";
    CHECK(word(there(world)) == "ssh.no-authorized-keys");
    world.files["/home/ops/keys"] = {FileState::Kind::file, 1000, 1000, 0644, 80};
    CHECK(word(there(world)) == "pass");
}

}  // namespace keys_test
