#include "resolve_judge.hpp"

#include "catch.hpp"
#include "fake_world.hpp"

namespace resolve_test {

using namespace diag;
using namespace diag::names;
using Status = probe::Resolution::Status;

static ResolveQuestion of_peer(const std::string& name = "node-b") { return {name, "wire", std::nullopt, std::nullopt}; }

static std::string cause(const ResolveQuestion& question, FakeWorld& world) { return judge_resolve(question, world).verdict.cause; }

TEST_CASE("a name with the right address by the right interface passes, and says where it comes from") {
    FakeWorld world;
    world.files["/etc/hosts"] = "127.0.0.1 localhost\n10.10.0.2 node-b # direct\n";
    world.knows("node-b", {"10.10.0.2", "fd10::2"});
    const auto finding = judge_resolve({"node-b", "wire", std::nullopt, "10.10.0.2"}, world);
    CHECK(finding.verdict.outcome == Outcome::pass);
    CHECK(finding.verdict.reason == "node-b is 10.10.0.2 (line 2 of /etc/hosts, by wire), fd10::2 (no line of /etc/hosts, by wire)");
    CHECK(finding.evidence.find("2: 10.10.0.2 node-b # direct") != std::string::npos);
    CHECK(finding.evidence.find("hosts: files dns") != std::string::npos);
    CHECK(finding.evidence.find("servers: 10.0.0.53") != std::string::npos);
}

TEST_CASE("an unknown name and a resolver that does not answer are two answers") {
    FakeWorld world;
    CHECK(cause(of_peer(), world) == "names.unknown");
    world.fails("node-b", Status::no_answer, "Temporary failure in name resolution");
    CHECK(cause(of_peer(), world) == "names.resolver-failed");
    world.fails("node-b", Status::broken, "System error");
    CHECK(cause(of_peer(), world) == "names.resolver-failed");
}

TEST_CASE("a .local name that mDNS keeps from DNS is told apart from one that nobody knows") {
    FakeWorld world;
    world.files["/etc/nsswitch.conf"] = "hosts: files mdns4_minimal [NOTFOUND=return] dns\n";
    CHECK(cause(of_peer("node-b.local"), world) == "names.unknown");
    world.dns["node-b.local"] = {at("10.10.0.2")};
    const auto finding = judge_resolve(of_peer("node-b.local"), world);
    CHECK(finding.verdict.cause == "names.mdns-shadowed");
    CHECK(finding.verdict.reason.find("10.0.0.53") != std::string::npos);
    CHECK(finding.verdict.reason.find("mdns4_minimal [NOTFOUND=return]") != std::string::npos);
}

TEST_CASE("mDNS is not blamed where it lets the search go on, or the name is not .local") {
    FakeWorld world;
    world.dns = {{"node-b.local", {at("10.10.0.2")}}, {"node-b.lan", {at("10.10.0.2")}}};
    world.files["/etc/nsswitch.conf"] = "hosts: files mdns4_minimal dns\n";
    CHECK(cause(of_peer("node-b.local"), world) == "names.dns-hidden");
    world.files["/etc/nsswitch.conf"] = "hosts: files mdns4_minimal [NOTFOUND=return] dns\n";
    CHECK(cause(of_peer("node-b.lan"), world) == "names.dns-hidden");
    world.files["/etc/nsswitch.conf"] = "hosts: files dns mdns4_minimal [NOTFOUND=return]\n";
    CHECK(cause(of_peer("node-b.local"), world) == "names.dns-hidden");
}

TEST_CASE("a DNS server that nsswitch.conf never lets anybody ask is found out") {
    FakeWorld world;
    world.files["/etc/nsswitch.conf"] = "hosts: files\n";
    CHECK(cause(of_peer("node-b.lan"), world) == "names.unknown");
    world.dns["node-b.lan"] = {at("10.10.0.2")};
    CHECK(cause(of_peer("node-b.lan"), world) == "names.dns-hidden");
    world.dns_silent = true;
    CHECK(cause(of_peer("node-b.lan"), world) == "names.unknown");
}

TEST_CASE("files that are not there do not change the verdict, and are named in the evidence") {
    FakeWorld world;
    world.files.clear();
    world.knows("node-b", {"10.10.0.2"});
    const auto finding = judge_resolve(of_peer(), world);
    CHECK(finding.verdict.outcome == Outcome::pass);
    CHECK(finding.evidence.find("not read: /etc/hosts does not exist") != std::string::npos);
}

TEST_CASE("a peer's name on loopback or on an address of this machine is no peer") {
    FakeWorld world;
    world.files["/etc/hosts"] = "127.0.1.1 node-b\n";
    world.knows("node-b", {"127.0.1.1"});
    const auto finding = judge_resolve(of_peer(), world);
    CHECK(finding.verdict.cause == "names.loopback");
    CHECK(finding.verdict.reason.find("line 1 of /etc/hosts") != std::string::npos);
    world.names.clear();
    world.knows("node-b", {"::1"});
    CHECK(cause(of_peer(), world) == "names.loopback");
    world.names.clear();
    world.knows("node-b", {"10.0.0.1"});
    CHECK(cause(of_peer(), world) == "names.own-address");
}

TEST_CASE("this machine's own name on loopback is found while the peer's name is right") {
    FakeWorld world;
    world.knows("node-b", {"10.10.0.2"});
    ResolveQuestion question = of_peer();
    question.own = "node-a";
    world.knows("node-a", {"127.0.1.1"});
    CHECK(cause(question, world) == "names.own-loopback");
    world.names.erase("node-a");
    world.knows("node-a", {"10.0.0.1", "::1"});  // one right address does not heal the other
    CHECK(cause(question, world) == "names.own-loopback");
    question.name = "node-a";
    CHECK(cause(question, world) == "names.own-loopback");
}

TEST_CASE("an own name that leads to this machine is fine, and is not mistaken for a peer on our address") {
    FakeWorld world;
    world.knows("node-b", {"10.10.0.2"});
    world.knows("node-a", {"10.0.0.1"});
    CHECK(judge_resolve({"node-b", "wire", "node-a", std::nullopt}, world).verdict.outcome == Outcome::pass);
    CHECK(judge_resolve({"node-a", "wire", "NODE-A.", std::nullopt}, world).verdict.outcome == Outcome::pass);
    CHECK(judge_resolve({"node-a", "wire", std::nullopt, std::nullopt}, world).verdict.outcome == Outcome::pass);  // the host name says so
    world.knows("node-a.lan", {"10.10.0.1"});
    CHECK(judge_resolve({"node-a.lan", std::nullopt, std::nullopt, std::nullopt}, world).verdict.outcome == Outcome::pass);
    world.host = "node";
    CHECK(cause({"node-a.lan", std::nullopt, std::nullopt, std::nullopt}, world) == "names.own-address");
}

TEST_CASE("a peer that shares our host name is still looked for on its path") {
    FakeWorld world;
    world.host = "node-b";
    world.knows("node-b", {"10.0.0.2"});
    CHECK(cause(of_peer(), world) == "names.wrong-interface");
}

TEST_CASE("an own name that is unknown, or another machine's, is a warning") {
    FakeWorld world;
    world.knows("node-b", {"10.10.0.2"});
    CHECK(cause({"node-b", "wire", "node-a", std::nullopt}, world) == "names.own-unknown");
    world.knows("node-a", {"10.0.0.7"});
    const auto verdict = judge_resolve({"node-b", "wire", "node-a", std::nullopt}, world).verdict;
    CHECK(verdict.cause == "names.own-elsewhere");
    CHECK(verdict.outcome == Outcome::warn);
}

TEST_CASE("a name on another path is named as such, also when only one of its addresses is") {
    FakeWorld world;
    world.knows("node-b", {"10.0.0.2"});
    CHECK(cause(of_peer(), world) == "names.wrong-interface");
    world.names.clear();
    world.knows("node-b", {"10.10.0.2", "10.0.0.2"});
    CHECK(cause(of_peer(), world) == "names.wrong-interface");
    CHECK(judge_resolve({"node-b", std::nullopt, std::nullopt, std::nullopt}, world).verdict.outcome == Outcome::pass);
    CHECK(cause({"node-b", "wire", std::nullopt, "10.10.0.9"}, world) == "names.wrong-interface");
}

TEST_CASE("the right address by the wrong route is a routing fault, not the name's") {
    FakeWorld world;
    world.knows("node-b", {"10.10.0.2"});
    world.forced["10.10.0.2"] = "eth0";
    CHECK(cause(of_peer(), world) == "names.route-elsewhere");
    world.knows("node-c", {"10.99.0.2"});
    world.forced["10.99.0.2"] = "eth0";
    CHECK(cause(of_peer("node-c"), world) == "names.wrong-interface");
    CHECK(cause({"node-c", "wire", std::nullopt, "10.99.0.2"}, world) == "names.route-elsewhere");
}

TEST_CASE("a member of a bridge is reached by its bridge") {
    FakeWorld world;
    world.links["port"].index = 7;
    world.links["port"].name = "port";
    world.links["port"].master = 3;
    world.knows("node-b", {"10.10.0.2"});
    CHECK(judge_resolve({"node-b", "port", std::nullopt, std::nullopt}, world).verdict.outcome == Outcome::pass);
    world.links["port"].master = 2;
    CHECK(cause({"node-b", "port", std::nullopt, std::nullopt}, world) == "names.wrong-interface");
}

TEST_CASE("a rule by source address that leads programs elsewhere, or nowhere, is told with its effect") {
    FakeWorld world;
    world.knows("node-b", {"10.10.0.2"});
    CHECK(judge_resolve(of_peer(), world).verdict.outcome == Outcome::pass);
    world.ruled["10.10.0.2"] = "eth0";
    auto verdict = judge_resolve(of_peer(), world).verdict;
    CHECK(verdict.cause == "names.route-elsewhere");
    CHECK_THAT(verdict.reason, ContainsSubstring("leaves by eth0; a routing rule"));
    world.ruled["10.10.0.2"] = "";
    verdict = judge_resolve(of_peer(), world).verdict;
    CHECK(verdict.cause == "names.no-usable-address");
    CHECK_THAT(verdict.reason, ContainsSubstring("a routing rule"));
}

TEST_CASE("a link-local address is one of the interface asked about, also where the site file gives it") {
    FakeWorld world;
    world.files["/etc/hosts"] = "fe80::2 node-b\n";
    world.knows("node-b", {"fe80::2"});
    const auto finding = judge_resolve({"node-b", "wire", std::nullopt, "fe80::2"}, world);
    CHECK(finding.verdict.outcome == Outcome::pass);
    CHECK_THAT(finding.verdict.reason, ContainsSubstring("line 1 of /etc/hosts, by wire"));
    CHECK(cause({"node-b", std::nullopt, std::nullopt, std::nullopt}, world) == "names.link-local");
    CHECK(cause({"node-b", "wire", std::nullopt, "fe80::3"}, world) == "names.address-differs");
}

TEST_CASE("a service of nsswitch.conf that cannot be asked is named, and no DNS server is blamed for it") {
    FakeWorld world;
    world.fails("node-b", Status::broken, "System error: Device or resource busy");
    world.files["/etc/nsswitch.conf"] = "hosts: nonsense\n";
    const auto verdict = judge_resolve(of_peer(), world).verdict;
    CHECK(verdict.cause == "names.services-broken");
    CHECK_THAT(verdict.reason, ContainsSubstring("names come from: nonsense"));
    world.files["/etc/nsswitch.conf"] = "hosts: files dns\n";  // the twin: a server may be what failed
    const auto dns = judge_resolve(of_peer(), world).verdict;
    CHECK(dns.cause == "names.resolver-failed");
    CHECK_THAT(dns.reason, ContainsSubstring("names come from: files dns"));
}

TEST_CASE("an address in a family that leads nowhere from here is unusable; one of two is a warning") {
    FakeWorld world;
    world.knows("node-b", {"2001:db8::2"});
    CHECK(cause(of_peer(), world) == "names.no-usable-address");
    world.names.clear();
    world.knows("node-b", {"2001:db8::2", "10.10.0.2"});
    CHECK(cause(of_peer(), world) == "names.unroutable");
}

TEST_CASE("an address other than the site file's is named, and a malformed one is not compared") {
    FakeWorld world;
    world.knows("node-b", {"10.10.0.2"});
    CHECK(cause({"node-b", "wire", std::nullopt, "10.10.0.3"}, world) == "names.address-differs");
    CHECK(cause({"node-b", "wire", std::nullopt, "10.10.0.2/24"}, world) == "names.address-invalid");
    CHECK(judge_resolve({"node-b", "wire", std::nullopt, "10.10.0.2"}, world).verdict.outcome == Outcome::pass);
}

TEST_CASE("a name that only the search list makes is a warning with the whole name") {
    FakeWorld world;
    world.files["/etc/resolv.conf"] = "nameserver 10.0.0.53\nsearch corp.example home.arpa\n";
    world.knows("node-b", {"10.10.0.2"}, "node-b.home.arpa");
    const auto verdict = judge_resolve(of_peer(), world).verdict;
    CHECK(verdict.outcome == Outcome::warn);
    CHECK(verdict.cause == "names.search-domain");
    CHECK(verdict.values["canonical"] == "node-b.home.arpa");
    world.knows("node-b.", {"10.10.0.2"});  // it exists without the search list as well
    CHECK(judge_resolve(of_peer(), world).verdict.outcome == Outcome::pass);
}

TEST_CASE("an alias, or a name from /etc/hosts, is not taken for the search list's work") {
    FakeWorld world;
    world.files["/etc/resolv.conf"] = "nameserver 10.0.0.53\nsearch home.arpa\n";
    world.knows("www.home.arpa", {"10.10.0.2"}, "node-b.home.arpa");
    CHECK(judge_resolve(of_peer("www.home.arpa"), world).verdict.outcome == Outcome::pass);
    world.files["/etc/hosts"] = "10.10.0.2 node-b.home.arpa node-b\n";
    world.knows("node-b", {"10.10.0.2"}, "node-b.home.arpa");
    CHECK(judge_resolve(of_peer(), world).verdict.outcome == Outcome::pass);
}

TEST_CASE("one of several addresses without a route is a warning where its family is used here, and none where it is not") {
    FakeWorld world;
    world.knows("node-b", {"10.10.0.2", "2001:db8::2"});
    ResolveQuestion question;
    question.name = "node-b";
    const auto verdict = judge_resolve(question, world).verdict;
    CHECK(verdict.outcome == Outcome::warn);
    CHECK(verdict.cause == "names.unroutable");
    CHECK(verdict.values["found"] == "2001:db8::2");
    std::erase_if(world.own, [](const auto& own) { return own.address.v6(); });
    CHECK(judge_resolve(question, world).verdict.outcome == Outcome::pass);
}

TEST_CASE("a link that is switched off, or has no carrier, is said where no route is left") {
    FakeWorld world;
    world.knows("node-b", {"192.0.2.7"});
    ResolveQuestion question;
    question.name = "node-b";
    question.interface = "wire";
    CHECK(judge_resolve(question, world).verdict.cause == "names.no-usable-address");
    world.links["wire"].up = true;
    world.links["wire"].carrier = false;
    CHECK_THAT(judge_resolve(question, world).verdict.reason, ContainsSubstring("wire has no carrier"));
    world.links["wire"].up = false;
    CHECK_THAT(judge_resolve(question, world).verdict.reason, ContainsSubstring("wire is switched off"));
}

}  // namespace resolve_test
