// Where other machines can meet this one, on a machine in memory.
#include "endpoints.hpp"

#include <cstdlib>

#include <diag/testing.hpp>

#include "catch.hpp"
#include "fake_world.hpp"

namespace endpoints_test {

extern "C" const diag_abi* diag_plugin_v1();

using namespace diag;
using namespace diag::link;

namespace {

std::string why(FakeWorld& world, const std::string& name) {
    const Machine machine(world);
    return unfit(machine, machine.find(name));
}

struct WiredWorld : FakeWorld {
    WiredWorld() {
        for (auto& link : links) link.mac = "02:00:00:00:00:0" + std::to_string(link.index);
    }
};

}  // namespace

TEST_CASE("others are met by an address in a prefix, on an interface with carrier that leads outside") {
    WiredWorld world;
    CHECK(why(world, "eth0").empty());
    world.add("bare", 4).mac = "02:00:00:00:00:04";
    CHECK(why(world, "bare") == "it has no address but one that it gave itself");
    world.has(4, "169.254.7.1", 16);
    CHECK_THAT(why(world, "bare"), ContainsSubstring("for itself alone"));
    world.has(4, "10.9.0.1", 32);
    CHECK_THAT(why(world, "bare"), ContainsSubstring("for itself alone"));
    world.has(4, "10.9.1.1", 24);
    CHECK(why(world, "bare").empty());
    world.at_name("bare").carrier = false;
    CHECK(why(world, "bare") == "it has no carrier");
    world.at_name("bare").up = false;
    CHECK(why(world, "bare") == "it is switched off");
    world.add("docker0", 5, "bridge").mac = "02:00:00:00:00:05";
    world.has(5, "172.17.0.1", 16);
    CHECK(why(world, "docker0") == "it is a bridge for containers");
    world.add("wg0", 6, "wireguard");
    world.has(6, "10.8.0.1", 24);
    CHECK_THAT(why(world, "wg0"), ContainsSubstring("a tunnel"));
}

TEST_CASE("a bridge with hardware in it is where others are met, and its member says so") {
    WiredWorld world;
    world.add("br0", 4, "bridge").mac = "02:00:00:00:00:04";
    world.add("eth7", 7).master = 4;
    world.at_name("eth7").mac = "02:00:00:00:00:07";
    world.has(4, "10.20.0.1", 24);
    CHECK(why(world, "br0").empty());
    CHECK(why(world, "eth7") == "it is in br0");
}

TEST_CASE("IPv4 stands first, and link-local addresses do not count") {
    WiredWorld world;
    world.own = {{3, at("fd10::1"), 64}, {3, at("10.10.0.1"), 24}};
    const Machine machine(world);
    const auto found = meeting_addresses(machine.find("wire"));
    REQUIRE(found.size() == 2);
    CHECK(found[0].address.text() == "10.10.0.1");
}

TEST_CASE("the look tells nothing of this without being asked for others, and asks only where they can be") {
    for (const auto& event : testing::ask(*diag_plugin_v1(), "look").events) CHECK(event.value("kind", "") != "endpoint");
    ::setenv("SSH_CONNECTION", "192.0.2.7 50000 127.0.0.1 22", 1);  // sshd's words must not be believed beyond an address
    const auto answer = testing::ask(*diag_plugin_v1(), "look", {{"others", {"not an address", "240.0.0.7", ""}}});
    ::unsetenv("SSH_CONNECTION");
    INFO(answer.reason());
    CHECK(answer.outcome() == "pass");
    for (const auto& event : answer.events) CHECK(event.value("kind", "") != "heard");
}

}  // namespace endpoints_test
