#include "look_judge.hpp"

#include "catch.hpp"
#include "fake_world.hpp"

namespace look_test {

using namespace diag;
using namespace diag::names;

namespace {

// A machine named node-a whose hosts file has these lines.
FakeWorld with_hosts(const std::string& lines) {
    FakeWorld world;
    world.files["/proc/sys/kernel/hostname"] = "node-a\n";
    world.files["/etc/hosts"] = "127.0.0.1 localhost\n" + lines;
    return world;
}

std::string causes(FakeWorld world, bool live = true) {
    std::string all;
    for (const auto& wrong : look_at_names(world, live).wrong) all += (all.empty() ? "" : " ") + wrong.cause;
    return all;
}

std::string told(FakeWorld world, const std::string& property) {
    for (const auto& p : look_at_names(world, true).machine)
        if (p.name == property) return p.text;
    return "";
}

}  // namespace

TEST_CASE("look: the own name on loopback looks wrong, on an address of this machine it does not") {
    CHECK(causes(with_hosts("127.0.1.1 node-a.home.arpa node-a\n")) == "names.own-loopback");
    CHECK(causes(with_hosts("::1 NODE-A\n")) == "names.own-loopback");
    CHECK(causes(with_hosts("10.0.0.1 node-a\n127.0.1.1 node-a\n")) == "names.own-loopback");  // programs get both
    CHECK(causes(with_hosts("10.0.0.1 node-a\n::1 node-a\n")) == "names.own-loopback");
    CHECK(causes(with_hosts("127.0.1.1 node-b\n10.0.0.1 node-a\n")).empty());
    CHECK(told(with_hosts("10.0.0.1 node-a\n"), "own name") == "node-a is 10.0.0.1 (line 2 of /etc/hosts)");
}

TEST_CASE("look: the own name on an address that this machine lacks looks wrong; a captured tree has no addresses to compare") {
    CHECK(causes(with_hosts("10.0.0.77 node-a\n")) == "names.own-elsewhere");
    CHECK(causes(with_hosts("10.0.0.77 node-a\n10.10.0.1 node-a\n")).empty());
    CHECK(causes(with_hosts("10.0.0.77 node-a\n"), false).empty());
    CHECK(causes(with_hosts("127.0.1.1 node-a\n"), false) == "names.own-loopback");
}

TEST_CASE("look: an own name that no file has is unknown only where nobody else could know it") {
    auto world = with_hosts("");
    world.files["/etc/nsswitch.conf"] = "hosts: files\n";
    CHECK(causes(world) == "names.own-unknown");
    world.files["/etc/nsswitch.conf"] = "hosts: files dns\n";
    CHECK(causes(world).empty());
    CHECK(told(world, "own name") == "node-a is not in /etc/hosts; no server was asked");
    world.files["/etc/nsswitch.conf"] = "hosts: files myhostname\n";
    CHECK(causes(world).empty());
    CHECK_THAT(told(world, "own name"), ContainsSubstring("whatever addresses this machine has"));
    world.files["/etc/nsswitch.conf"] = "hosts: files\n";
    world.files.erase("/etc/hosts");
    CHECK(causes(world) == "names.own-unknown");
    world.locked = {"/etc/hosts"};  // what cannot be read may hold the name
    CHECK(causes(world).empty());
    CHECK(told(world, "own name") == "node-a");
    CHECK_THAT(told(world, "not read"), ContainsSubstring("/etc/hosts"));
}

TEST_CASE("look: a .local search domain behind mDNS looks wrong; mDNS alone, and another domain, do not") {
    auto world = with_hosts("10.0.0.1 node-a\n");
    world.files["/etc/nsswitch.conf"] = "hosts: files mdns4_minimal [NOTFOUND=return] dns\n";
    CHECK(causes(world).empty());
    world.files["/etc/resolv.conf"] = "nameserver 10.0.0.53\nsearch office.local\n";
    CHECK(causes(world) == "names.local-domain");
    world.files["/etc/nsswitch.conf"] = "hosts: files dns mdns4_minimal [NOTFOUND=return]\n";
    CHECK(causes(world).empty());
    world.files["/etc/nsswitch.conf"] = "hosts: files mdns4_minimal [NOTFOUND=return] dns\n";
    world.files["/etc/resolv.conf"] = "nameserver 10.0.0.53\nsearch home.arpa\n";
    CHECK(causes(world).empty());
}

TEST_CASE("look: without a DNS server programs that ask one get nowhere; who asks none needs none") {
    auto world = with_hosts("10.0.0.1 node-a\n");
    world.locked = {"/etc/resolv.conf"};
    CHECK(causes(world).empty());
    CHECK(told(world, "dns servers").empty());
    world.locked.clear();
    world.files["/etc/resolv.conf"] = "# written by nobody\n";
    CHECK(causes(world) == "names.no-servers");
    CHECK(told(world, "dns servers") == "none");
    world.files["/etc/nsswitch.conf"] = "hosts: files\n";
    CHECK(causes(world).empty());
    world.files["/etc/nsswitch.conf"] = "hosts: files resolve [!UNAVAIL=return] dns\n";
    CHECK(causes(world).empty());
}

TEST_CASE("look: what a captured tree does not hold is not known, and on a live machine it is missing") {
    auto world = with_hosts("10.0.0.1 node-a\n");
    const auto of_tree = [&](const std::string& property) {
        for (const auto& p : look_at_names(world, false).machine)
            if (p.name == property) return p.text;
        return std::string();
    };
    world.files.erase("/etc/resolv.conf");
    CHECK(causes(world, false).empty());
    CHECK(of_tree("dns servers") == "not captured");
    CHECK(causes(world, true) == "names.no-servers");
    world.files["/etc/resolv.conf"] = "# written by nobody\n";
    CHECK(causes(world, false) == "names.no-servers");
    world.files.erase("/etc/nsswitch.conf");  // and so it may say files alone
    CHECK(causes(world, false).empty());
    CHECK(of_tree("names from") == "not captured");
    CHECK(causes(world, true) == "names.no-servers");  // glibc's own order is files and dns
    world.files["/etc/nsswitch.conf"] = "hosts: files\n";
    world.files.erase("/etc/hosts");
    CHECK(causes(world, false).empty());
    CHECK(causes(world, true) == "names.own-unknown");
}

TEST_CASE("look: systemd-resolved is told from a server, with whom it asks") {
    auto world = with_hosts("10.0.0.1 node-a\n");
    CHECK(told(world, "dns servers") == "10.0.0.53");
    world.files["/etc/resolv.conf"] = "nameserver 127.0.0.53\nsearch home.arpa lan\n";
    CHECK(told(world, "dns servers") == "127.0.0.53 (systemd-resolved)");
    world.files["/run/systemd/resolve/resolv.conf"] = "nameserver 10.0.0.1\nnameserver 10.0.0.2\n";
    CHECK(told(world, "dns servers") == "127.0.0.53 (systemd-resolved, which asks 10.0.0.1, 10.0.0.2)");
    CHECK(told(world, "search") == "home.arpa lan");
}

TEST_CASE("look: a name counts for another machine's address only where it leads back to it") {
    FakeWorld world;
    world.names_of = {{"10.0.0.2", "node-b.lan"}, {"10.0.0.3", "stale.lan"}, {"10.0.0.4", "gone.lan"}};
    world.knows("node-b.lan", {"10.0.0.2", "fd10::2"});
    world.knows("stale.lan", {"10.0.0.9"});
    world.knows("node-c", {"10.0.0.5"});
    std::vector<std::string> told;
    tell_names({"10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.99", "node-c", "nobody"}, world,
               [&](const auto& asked, const auto& name, const auto& all) {
                   told.push_back(asked + " " + name + " " + std::to_string(all.size()));
               });
    CHECK(told == std::vector<std::string>{"10.0.0.2 node-b.lan 2", "node-c node-c 1"});
}

}  // namespace look_test
