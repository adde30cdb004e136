#include "runbook/site.hpp"

#include "catch.hpp"
#include "runbook/support_for_tests.hpp"

namespace site_test {

using namespace diag::runbook;
using diag::runbook::testing::error_of;

namespace {

std::string error(const std::string& text) {
    return error_of([&] { parse_site(text, "site.yaml"); });
}

const std::string two = "machines:\n  node-a: {name: node-a.home.arpa}\n  node-b: {name: node-b.home.arpa}\n";

// One link whose first end is `end`.
std::string with_end(const std::string& end) {
    return two + "links:\n- id: l\n  ends:\n    node-a: " + end + "\n    node-b: {address: 10.0.0.2}\n";
}

std::string chosen(const Site& site, const std::string& machine, const std::string& host) {
    return error_of([&] { this_machine(site, machine, host); });
}

}  // namespace

TEST_CASE("the site file gives machines and links, and keeps the keys it does not know") {
    const Site site = parse_site(R"(ssh: {user: ops, config: ~/.ssh/config}
lab: true
machines:
  node-a: {name: node-a.home.arpa, roles: [storage, router]}
  node-b:
links:
  - id: direct-0
    port: direct
    speed: 200Gbit
    management: true
    ends:
      node-a: {interface: enp1s0f0np0, name: node-a-direct.home.arpa, address: 10.10.0.11, rdma: rocep1s0f0}
      node-b: {address: "fe80::1%eth0"}
storage: {server: node-a}
)",
                                 "site.yaml");
    CHECK(site.ssh_user == "ops");
    CHECK(site.ssh_config == "~/.ssh/config");
    CHECK(site.lab);
    CHECK(site.machine("node-a")->roles == std::vector<std::string>{"storage", "router"});
    CHECK(site.machine("node-b")->name.empty());
    const Link& link = site.links.at(0);
    CHECK(link.management);
    CHECK(link.port == "direct");
    CHECK(link.end("node-a")->interface == "enp1s0f0np0");
    CHECK(link.end("node-a")->node.find("rdma")->text == "rocep1s0f0");
    CHECK(link.end("node-b")->address == "fe80::1%eth0");
    CHECK(link.end("node-c") == nullptr);
    CHECK(link.node.find("speed")->text == "200Gbit");
    CHECK(site.root.find("storage")->find("server")->text == "node-a");
}

TEST_CASE("an end on a machine that does not exist names the nearest that does") {
    CHECK(error(two + "links:\n- id: l\n  ends:\n    node-a: {address: 10.0.0.1}\n    nodeb: {address: 10.0.0.2}\n") ==
          "site.yaml:8:5: 'machines' has no 'nodeb'; did you mean 'node-b'?");
}

TEST_CASE("a link without two ends, without ends or without an id is an error") {
    CHECK(error(two + "links:\n- id: l\n  ends: {}\n") == "site.yaml:6:9: link 'l' has no ends");
    CHECK_THAT(error(two + "links:\n- id: l\n"), ContainsSubstring("site.yaml:5:3: a link needs 'ends'"));
    CHECK_THAT(error(two + "links:\n- ends: {node-a: {address: 10.0.0.1}, node-b: {address: 10.0.0.2}}\n"),
               ContainsSubstring("site.yaml:5:3: a link needs 'id'"));
    CHECK_THAT(error(two + "links:\n- id: \"a b\"\n  ends: {node-a: {address: 10.0.0.1}, node-b: {address: 10.0.0.2}}\n"),
               ContainsSubstring("site.yaml:5:7: 'a b' cannot be the id of a link"));
    CHECK_THAT(error(two + "links: {id: l}\n"), ContainsSubstring("site.yaml:4:8: 'links' must be a list"));
    CHECK_THAT(error(two + "links:\n- id: l\n  ends: [node-a, node-b]\n"), ContainsSubstring("site.yaml:6:9: 'ends' must be a map"));
}

TEST_CASE("names and addresses are what they claim to be") {
    CHECK(error(with_end("{name: node-a, address: 10.0.0.1}")) == "no error");
    CHECK(error(with_end("{name: node_a.x-1.lan}")) == "no error");
    CHECK(error(with_end("{address: \"2001:db8::7\"}")) == "no error");
    CHECK_THAT(error(with_end("{name: node a}")), ContainsSubstring("site.yaml:7:20: 'node a' is no host name"));
    CHECK_THAT(error(with_end("{name: -oProxy}")), ContainsSubstring("is no host name"));
    CHECK_THAT(error(with_end("{name: a..b}")), ContainsSubstring("is no host name"));
    CHECK(error(with_end("{name: 10.0.0.1}")) == "site.yaml:7:20: '10.0.0.1' is an address; write it under 'address'");
    CHECK(error(with_end("{address: 10.0.0.256}")) == "site.yaml:7:23: '10.0.0.256' is no IPv4 or IPv6 address");
    CHECK(error(with_end("{address: 010.0.0.1}")) == "site.yaml:7:23: '010.0.0.1' is no IPv4 or IPv6 address");
    CHECK_THAT(error(with_end("{address: 10.0.0.1/24}")), ContainsSubstring("leave the prefix length out"));
    CHECK_THAT(error(with_end("{address: \"2001:db8::7%eth0\"}")), ContainsSubstring("is no IPv4 or IPv6 address"));
    CHECK(error(with_end("{interface: eth0}")) == "site.yaml:7:5: the end 'node-a' needs a 'name' or an 'address'");
    CHECK_THAT(error(with_end("{name: }")), ContainsSubstring("'name' has no value"));
}

TEST_CASE("an id, name or address that two share is a slip; a machine may repeat its own") {
    CHECK_THAT(error(with_end("{address: 10.0.0.2}")),
               ContainsSubstring("site.yaml:8:23: the address '10.0.0.2' is given twice; first at site.yaml:7:23"));
    CHECK_THAT(error(with_end("{name: node-b.home.arpa}")), ContainsSubstring("the name 'node-b.home.arpa' is given twice"));
    CHECK(error(with_end("{name: node-a.home.arpa}")) == "no error");
    const std::string ends = "  ends: {node-a: {address: 10.0.0.1}, node-b: {address: 10.0.0.2}}\n";
    CHECK(error(two + "links:\n- id: l\n" + ends + "- id: l\n" + ends) ==
          "site.yaml:7:7: the link id 'l' is given twice; first at site.yaml:5:7");
    CHECK(error(two + "links:\n- id: l\n" + ends + "- id: m\n" + ends) == "no error");
}

TEST_CASE("an address that no single machine has is refused where it stands") {
    for (const char* address : {"127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"})
        CHECK(error(with_end("{address: \"" + std::string(address) + "\"}")) ==
              "site.yaml:7:23: '" + std::string(address) + "' cannot be the address of an end: it is every machine's own (loopback)");
    for (const char* address : {"0.0.0.0", "::"})
        CHECK_THAT(error(with_end("{address: \"" + std::string(address) + "\"}")), ContainsSubstring("it is no machine's (unspecified)"));
    for (const char* address : {"224.0.0.1", "239.255.255.250", "ff02::1"})
        CHECK_THAT(error(with_end("{address: \"" + std::string(address) + "\"}")), ContainsSubstring("it is a group's (multicast)"));
    CHECK_THAT(error(with_end("{address: 255.255.255.255}")), ContainsSubstring("site.yaml:7:23:") && ContainsSubstring("(broadcast)"));
    for (const char* address :
         {"128.0.0.1", "10.0.0.255", "1.0.0.0", "223.255.255.1", "::2", "fe80::1%lo", "169.254.7.7", "10.127.0.1", "2001:ff02::1"})
        CHECK(error(with_end("{address: \"" + std::string(address) + "\"}")) == "no error");
}

TEST_CASE("the same name or address in another spelling is the same; what has a case keeps it") {
    const auto ends = [](const std::string& a, const std::string& b) {
        return error(two + "links:\n- id: l\n  ends:\n    node-a: {" + a + "}\n    node-b: {" + b + "}\n");
    };
    const auto addresses = [&](const std::string& a, const std::string& b) {
        return ends("address: \"" + a + "\"", "address: \"" + b + "\"");
    };
    CHECK(ends("name: a.lan", "name: A.Lan") == "site.yaml:8:20: the name 'A.Lan' is given twice; first at site.yaml:7:20, as 'a.lan'");
    CHECK_THAT(ends("name: NODE-B.home.arpa", "name: b"), ContainsSubstring("the name 'NODE-B.home.arpa' is given twice"));
    CHECK_THAT(addresses("fd1a::1", "FD1A:0::1"), ContainsSubstring("is given twice; first at site.yaml:7:23, as 'fd1a::1'"));
    CHECK_THAT(addresses("10.0.0.1", "::ffff:10.0.0.1"), ContainsSubstring("is given twice"));
    CHECK_THAT(addresses("fe80::1%eth0", "fe80:0::1%eth0"), ContainsSubstring("is given twice"));
    CHECK(addresses("fe80::1%eth0", "fe80::1%eth1") == "no error");
    CHECK(addresses("fe80::1%eth0", "fe80::1%ETH0") == "no error");  // interfaces have a case
    CHECK(addresses("fd1a::1", "fd1a::1:1") == "no error");
    CHECK(addresses("10.0.0.1", "::10.0.0.1") == "no error");
    const std::string link = "  ends: {node-a: {address: 10.0.0.1}, node-b: {address: 10.0.0.2}}\n";
    CHECK(error(two + "links:\n- id: l\n" + link + "- id: L\n" + link) == "no error");
}

TEST_CASE("a misspelt key of the core is an error; a free key is not") {
    CHECK(error("machins: {a: {}}\n").find("site.yaml:1:10: 'machins' is not a key of the site file; did you mean 'machines'?") !=
          std::string::npos);
    CHECK(error("ssh: {usr: ops}\n" + two) == "site.yaml:1:7: 'ssh' has no key 'usr'; did you mean 'user'?");
    CHECK_THAT(error("ssh: {user: -oProxyCommand=x}\n" + two), ContainsSubstring("is no user name"));
    CHECK(error(two + "lab: yes\n") == "site.yaml:4:6: 'lab' must be true or false, not 'yes'");
    CHECK_THAT(error("machines: {node-a: {roles: storage}}\n"), ContainsSubstring("site.yaml:1:28: 'roles' must be a list"));
    CHECK_THAT(error("machines: {\"-x\": {}}\n"), ContainsSubstring("'-x' cannot be the key of a machine"));
    CHECK(error(two + "storage: {server: node-a}\nrack: 7\n") == "no error");
    CHECK_THAT(error("links: []\n"), ContainsSubstring("the site file needs 'machines'"));
    CHECK_THAT(error("just text\n"), ContainsSubstring("site.yaml:1:1: the site file must be a map"));
}

TEST_CASE("several errors are reported in one go") {
    const std::string text = error(with_end("{address: 1.2.3, name: \"-\"}") + "lab: 3\n");
    CHECK_THAT(text, ContainsSubstring("site.yaml:7:23:") && ContainsSubstring("site.yaml:7:36:") && ContainsSubstring("site.yaml:9:6:"));
}

TEST_CASE("which machine this is: said, or found by the host name, or an error with the keys") {
    const Site site = parse_site("machines: {node-a: {name: alpha.home.arpa}, node-b: {name: beta.home.arpa}, gamma: {}}\n", "site.yaml");
    CHECK(this_machine(site, "node-b", "node-a") == "node-b");
    CHECK(this_machine(site, "", "node-a") == "node-a");
    CHECK(this_machine(site, "", "beta") == "node-b");
    CHECK(this_machine(site, "", "Beta.home.arpa") == "node-b");
    CHECK(this_machine(site, "", "gamma.elsewhere.org") == "gamma");
    CHECK(chosen(site, "nodeb", "") == "site.yaml: no machine 'nodeb'; did you mean 'node-b'? (machines: node-a, node-b, gamma)");
    CHECK_THAT(chosen(site, "", "delta"), ContainsSubstring("'delta'") && ContainsSubstring("(machines: node-a, node-b, gamma)"));
    CHECK_THAT(chosen(site, "", "beta.other.org"), ContainsSubstring("no machine has the key or the name"));
    CHECK_THAT(chosen(site, "", ""), ContainsSubstring("no machine has the key or the name"));
    const Site twins = parse_site("machines: {a: {name: x.one.org}, b: {name: x.two.org}}\n", "site.yaml");
    CHECK_THAT(chosen(twins, "", "x"), ContainsSubstring("fits more than one machine (a, b)"));
    CHECK(this_machine(twins, "", "x.two.org") == "b");
}

}  // namespace site_test
