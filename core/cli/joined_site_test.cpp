#include "cli/joined_site.hpp"

#include "catch.hpp"
#include "cli/join_looks.hpp"
#include "runbook/site.hpp"

using namespace diag;
using namespace diag::cli;

namespace {

using host::Thing;

host::Property text(const std::string& name, const std::string& value) { return {name, value, value}; }

// A machine as its looks tell it.  mac("b", 1) is the identity of its first interface.
struct Fake : MachineLook {
    Fake(const std::string& letter, const std::string& as_given) {
        given = as_given;
        alone.things.push_back({"machine", "", {{"own name", "", nullptr, "machine.name", "node-" + letter + ".home.arpa"}}});
    }
    Fake& interface(const std::string& name, const std::string& mtu = "1500", const std::string& speed = "") {
        alone.things.push_back({"interface",
                                name,
                                {{"mtu", mtu, nullptr, "link.mtu", mtu},
                                 {"speed", speed, nullptr, "link.speed", speed},
                                 {"address", "", nullptr, "end.address", "192.0.2.99"}}});
        return *this;
    }
    Fake& at(const std::string& name, const std::string& address, const std::string& network, const std::string& mac,
             const std::string& flag = "") {
        alone.things.push_back({"endpoint",
                                address + "%" + name,
                                {text("interface", name),
                                 text("address", address),
                                 text("network", network),
                                 text("identity", mac),
                                 {"login", "", flag == "login"},
                                 {"gateway", "", flag == "gateway"}}});
        return *this;
    }
    Fake& heard(const std::string& name, const std::string& address, const std::vector<std::string>& macs) {
        met.things.push_back(
            {"heard", address + "%" + name, {text("interface", name), text("address", address), {"identities", "", macs}}});
        return *this;
    }
    Fake& knows(const std::string& asked, const std::string& name, const std::vector<std::string>& addresses) {
        met.things.push_back({"known", asked, {text("name", name), {"addresses", "", addresses}}});
        return *this;
    }
};

constexpr const char *house = "10.10.1.0/24", *cable = "10.10.10.0/24";

Fake node_a() {
    Fake a("a", "");
    a.interface("house")
        .interface("p0", "9000", "200Gbit")
        .at("house", "10.10.1.11", house, "a1", "gateway")
        .at("p0", "10.10.10.11", cable, "a2");
    return a;
}
Fake node_b() {
    Fake b("b", "node-b.home.arpa");
    b.interface("house")
        .interface("p7", "9000", "200Gbit")
        .at("house", "10.10.1.12", house, "b1", "login")
        .at("p7", "10.10.10.12", cable, "b2");
    return b;
}
Fake node_c() {
    Fake c("c", "gate");
    c.interface("eth0").at("eth0", "10.10.1.13", house, "c1", "login");
    return c;
}

struct Made {
    runbook::SiteDraft draft;
    runbook::Site site;
    bool decided(const std::string& part) const { return told(draft.decided, part); }
    bool unknown(const std::string& part) const { return told(draft.unknown, part); }
    static bool told(const std::vector<std::string>& sentences, const std::string& part) {
        return std::any_of(sentences.begin(), sentences.end(), [&](const auto& s) { return s.find(part) != std::string::npos; });
    }
};

Made made(std::vector<MachineLook> machines) {
    CHECK(name_machines(machines, "node-a.home.arpa").empty());
    Made made{site_from_looks(machines, "node-a.home.arpa", {{"user", runbook::scalar("ops")}}), {}};
    INFO(runbook::to_yaml(made.draft));
    made.site = runbook::parse_site(runbook::to_yaml(made.draft), "site.yaml");
    return made;
}

}  // namespace

TEST_CASE("a cable and a switch become links whose ends were seen by each other, whatever their interfaces are called") {
    auto a = node_a().heard("house", "10.10.1.12", {"b1"}).heard("house", "10.10.1.13", {"c1"}).heard("p0", "10.10.10.12", {"b2"});
    a.knows("10.10.1.12", "node-b.home.arpa", {"10.10.1.12"}).knows("10.10.1.13", "node-c.home.arpa", {"10.10.1.13"});
    a.knows("node-b.home.arpa", "node-b.home.arpa", {"10.10.1.12"});
    auto b = node_b().heard("house", "10.10.1.13", {"c1"}).knows("10.10.1.13", "node-c.home.arpa", {"10.10.1.13"});
    b.knows("10.10.1.11", "node-a.home.arpa", {"10.10.1.11"});
    auto c = node_c().knows("10.10.1.11", "node-a.home.arpa", {"10.10.1.11"}).knows("10.10.1.12", "other.home.arpa", {"10.10.1.12"});
    const auto made_of = made({a, b, c});
    const auto& site = made_of.site;
    REQUIRE(site.links.size() == 2);
    const auto &switched = site.links[0], &direct = site.links[1];
    CHECK((switched.id == "house" && switched.ends.size() == 3 && switched.management));
    CHECK(switched.end("node-c")->interface == "eth0");
    CHECK(switched.end("node-c")->name == "node-c.home.arpa");
    CHECK(switched.end("node-b")->name.empty());  // the others do not agree
    CHECK(made_of.unknown("node-b house (10.10.1.12): node-b.home.arpa and other.home.arpa is not what"));
    CHECK(switched.end("node-a")->address == "10.10.1.11");
    CHECK((direct.id == "p0" && direct.ends.size() == 2 && !direct.management));
    CHECK(direct.end("node-b")->interface == "p7");
    CHECK(direct.node.find("mtu")->text == "9000");
    CHECK(direct.node.find("speed")->text == "200Gbit");
    CHECK(site.ssh_user == "ops");
    CHECK(site.machine("node-b")->name == "node-b.home.arpa");
    CHECK((site.machine("node-c")->name == "node-c.home.arpa" && site.machine("node-c")->ssh == "gate"));
    CHECK(made_of.decided("the logins of diag init arrived at node-b house and node-c eth0"));
    CHECK(made_of.unknown("speed of link house"));
}

TEST_CASE("one network is no link: who did not answer, or answered with another's hardware address, is left out and said") {
    auto a = node_a().heard("house", "10.10.1.12", {"b1"}).heard("p0", "10.10.10.12", {});
    CHECK(made({a, node_b()}).site.links.size() == 1);
    CHECK(made({a, node_b()}).decided("node-a p0 (10.10.10.11): node-b p7 did not answer there"));
    auto proxy = node_a().heard("p0", "10.10.10.12", {"02:router"});
    CHECK(made({proxy, node_b()}).site.links.empty());
    CHECK(made({proxy, node_b()}).unknown("no two of the machines see each other"));
    CHECK(made({node_a(), node_b()}).decided("could not be asked for there"));  // not the same as silence
    auto other_network = node_b();
    other_network.alone.things[4].properties[2].text = "10.10.11.0/24";
    CHECK(made({a, other_network}).decided("none of the others has an address in 10.10.10.0/24"));
}

TEST_CASE("it is enough that one of two ends hears the other") {
    const auto made_of = made({node_a(), node_b().heard("p7", "10.10.10.11", {"a2"})});
    REQUIRE(made_of.site.links.size() == 1);
    CHECK(made_of.site.links[0].id == "p0");
    CHECK_FALSE(made_of.site.links[0].management);
    CHECK(made_of.unknown("(management: true)"));
}

TEST_CASE("two interfaces in one prefix: on cables of their own they are two links, on one switch they are left out") {
    auto a = node_a().at("p1", "10.10.10.21", cable, "a3"), b = node_b().at("p8", "10.10.10.22", cable, "b3");
    // Linux answers for an address on every interface: the hardware address tells which cable it is.
    auto cables = a;
    cables.heard("p0", "10.10.10.12", {"b2"}).heard("p0", "10.10.10.22", {"b2"}).heard("p1", "10.10.10.12", {"b3"});
    const auto two = made({cables, b});
    REQUIRE(two.site.links.size() == 2);
    CHECK((two.site.links[0].end("node-a")->interface == "p0" && two.site.links[0].end("node-b")->interface == "p7"));
    CHECK((two.site.links[1].end("node-a")->interface == "p1" && two.site.links[1].end("node-b")->interface == "p8"));
    auto switched = a;
    for (const auto* interface : {"p0", "p1"})
        for (const auto* address : {"10.10.10.12", "10.10.10.22"}) switched.heard(interface, address, {"b2", "b3"});
    CHECK(made({switched, b}).site.links.empty());
    CHECK(made({switched, b}).decided("node-a p0 and node-a p1 are both in 10.10.10.0/24"));
}

TEST_CASE("a second network on the same wire is no second link, and the first address stands for the end") {
    auto a = node_a().at("p0", "fd10::1", "fd10::/64", "a2").heard("p0", "10.10.10.12", {"b2"}).heard("p0", "fd10::2", {"b2"});
    const auto made_of = made({a, node_b().at("p7", "fd10::2", "fd10::/64", "b2", "login")});
    REQUIRE(made_of.site.links.size() == 1);
    CHECK(made_of.site.links[0].end("node-b")->address == "10.10.10.12");
    CHECK(made_of.site.links[0].management);  // the login came by the other address of this interface
}

TEST_CASE("where one network joins more ends of a wire than another, that one is the link") {
    auto a = node_a().at("mv", "10.10.1.91", house, "a9").at("house", "fd1a::1", "fd1a::/64", "a1");
    auto b = node_b().at("house", "fd1a::2", "fd1a::/64", "b1");
    for (const auto* interface : {"house", "mv"}) a.heard(interface, "10.10.1.12", {"b1"}).heard(interface, "10.10.1.13", {"c1"});
    a.heard("house", "fd1a::2", {"b1"}).heard("house", "fd1a::3", {"c1"});
    b.heard("house", "10.10.1.13", {"c1"}).heard("house", "fd1a::3", {"c1"});
    const auto made_of = made({a, b, node_c().at("eth0", "fd1a::3", "fd1a::/64", "c1")});
    REQUIRE(made_of.site.links.size() == 1);
    CHECK(made_of.site.links[0].ends.size() == 3);
    CHECK(made_of.site.links[0].end("node-c")->address == "fd1a::3");
}

TEST_CASE("on a switch whose ports are kept apart only those who all see each other are one link") {
    auto a = node_a().heard("house", "10.10.1.12", {"b1"}).heard("house", "10.10.1.13", {"c1"});
    const auto made_of = made({a, node_b().heard("house", "10.10.1.13", {}), node_c()});
    REQUIRE(made_of.site.links.size() == 1);
    CHECK(made_of.site.links[0].ends.size() == 2);
    CHECK(made_of.decided("node-c eth0 sees some of the others, but not node-b house"));
}

TEST_CASE("what the ends say differently is no property of the link, and both are told") {
    auto b = node_b();
    b.alone.things[2].properties[0].site_value = "1500";
    const auto made_of = made({node_a().heard("p0", "10.10.10.12", {"b2"}), b});
    CHECK(made_of.site.links[0].node.find("mtu") == nullptr);
    CHECK(made_of.unknown("mtu of link p0: node-b says 1500 and node-a says 9000"));
}

TEST_CASE("an address that two machines have, or a name that leads to two links, joins nobody") {
    auto a = node_a().heard("house", "10.10.1.11", {"b1"});
    auto b = node_b().at("docker0", "10.10.1.11", house, "b9");
    CHECK(made({a, b}).decided("10.10.1.11 is an address of two machines"));
    CHECK(made({a, b}).site.links.empty());
    auto knows = node_a().heard("p0", "10.10.10.12", {"b2"}).knows("10.10.10.12", "node-b.home.arpa", {"10.10.10.12", "10.10.1.12"});
    CHECK(made({knows, node_b()}).site.links[0].end("node-b")->name.empty());
}

TEST_CASE("machines get distinct keys, and one that was given twice, or is this machine, stands there once") {
    auto again = node_b(), self = node_a(), twin = node_c();
    again.given = "10.10.10.12";
    self.given = "localhost";
    twin.alone.things[0].properties[0].site_value = "node-b";
    std::vector<MachineLook> machines = {node_a(), node_b(), again, self, twin};
    const auto notes = name_machines(machines, "node-a.home.arpa");
    REQUIRE(machines.size() == 3);
    CHECK((machines[0].key == "node-a" && machines[1].key == "node-b" && machines[2].key == "gate"));
    CHECK(notes == std::vector<std::string>{"10.10.10.12 is node-b.home.arpa: it stands in the file once",
                                            "localhost is this machine: it stands in the file once"});
    CHECK(unused_key("10.10.1.12", {}) == "10-10-1-12");
    CHECK(unused_key("node-b.lan", {{"node-b", {}}}) == "node-b-2");
}

TEST_CASE("what is no text in another machine's look is not taken, and what it says cannot break the file") {
    auto a = node_a().heard("p0", "10.10.10.12", {"b2"}), b = node_b();
    b.at("evil: [\n", "10.10.10.13", cable, "b4");
    b.met.things.push_back({"heard", "x", {{"identities", "", json::array({1, nullptr, json::object()})}, {"interface", "", 7}}});
    b.alone.things.push_back({"unfit", "x\nmachines: {}", {text("why", "# \"")}});
    a.heard("p0", "10.10.10.13", {"b4"});
    b.at("p9", "no address", cable, "b5");
    b.alone.things[2].properties.push_back({"odd", "", nullptr, "end.interface", "p8"});
    b.alone.things[0].properties[0].site_value = "-x: {[ \n";
    const auto made_of = made({a, b});
    CHECK(made_of.site.machines.size() == 2);
}
