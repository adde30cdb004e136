#include "cli/first_site.hpp"

#include "catch.hpp"
#include "cli/env_file.hpp"
#include "cli/options.hpp"
#include "runbook/finding.hpp"
#include "runbook/site.hpp"

using namespace diag;
using namespace diag::cli;

namespace {

host::Seen seen() {
    host::Seen s;
    s.things = {
        {"interface",
         "enp1s0",
         {{"address", "10.10.0.1/24", nullptr, "end.address", "10.10.0.1"}, {"speed", "200G", nullptr, "link.speed", "200Gbit"}}},
        {"interface", "wlan0", {{"address", "10.0.0.1/24", nullptr, "end.address", "10.0.0.1"}, {"speed", "", nullptr, "link.speed", ""}}},
        {"interface", "eth7", {{"speed", "1G", nullptr, "link.speed", "1Gbit"}}}};
    return s;
}

const std::map<std::string, std::string> places = {{"MACHINE_NAME", "machine.key"},  {"MACHINE_ROLES", "machine.roles"},
                                                   {"CLUSTER_PEERS", "peers"},       {"CLUSTER_IFACE", "end.interface"},
                                                   {"CLUSTER_MTU", "link.mtu"},      {"IPERF_SECONDS", "run.seconds.s"},
                                                   {"NFS_SERVER", "storage.server"}, {"SSH_USER", "ssh.user"}};

runbook::Site from_env(const std::string& text, std::vector<std::string>* unknown = nullptr) {
    const auto draft = site_from_env(parse_env(text, ".env"), places, seen(), "node-a.home.arpa");
    if (unknown != nullptr) *unknown = draft.unknown;
    return runbook::parse_site(runbook::to_yaml(draft), "site.yaml");
}

bool told(const std::vector<std::string>& sentences, const std::string& part) {
    for (const auto& sentence : sentences)
        if (sentence.find(part) != std::string::npos) return true;
    return false;
}

std::string refused(const std::string& text) {
    try {
        parse_env(text, ".env");
        return "accepted";
    } catch (const UsageError& e) {
        return e.what();
    }
}

}  // namespace

TEST_CASE("a look becomes a site file that is read: a link for each interface with an address, and what is not known is told") {
    const auto draft = site_from_look(seen(), "node-a.home.arpa");
    const auto site = runbook::parse_site(runbook::to_yaml(draft), "site.yaml");
    CHECK(site.machine("node-a")->name == "node-a.home.arpa");
    REQUIRE(site.links.size() == 2);
    CHECK(site.links[0].end("node-a")->interface == "enp1s0");
    CHECK(site.links[0].end("node-a")->address == "10.10.0.1");
    CHECK(site.links[0].node.find("speed")->text == "200Gbit");
    CHECK(site.links[1].node.find("speed") == nullptr);
    CHECK(told(draft.unknown, "speed of the link by wlan0"));
    CHECK_FALSE(told(draft.unknown, "enp1s0"));
}

TEST_CASE("a settings file becomes a site file with its peers, its link and its storage") {
    std::vector<std::string> unknown;
    const auto site = from_env(
        "# facts\nMACHINE_NAME=s1\nMACHINE_ROLES=prefill,cache\nCLUSTER_PEERS=\"node-b.home.arpa node-c.home.arpa\"\n"
        "export CLUSTER_IFACE=enp1s0\nCLUSTER_MTU=9000 # jumbo\nIPERF_SECONDS=20\nNFS_SERVER='node-b'\nSSH_USER=\nCOLOUR=red\n",
        &unknown);
    CHECK(site.machine("s1")->roles == std::vector<std::string>{"prefill", "cache"});
    REQUIRE(site.links.size() == 1);
    CHECK(site.links[0].end("s1")->address == "10.10.0.1");
    CHECK(site.links[0].end("node-c")->name == "node-c.home.arpa");
    CHECK(site.links[0].node.find("mtu")->text == "9000");
    CHECK(site.root.find("storage")->find("server")->text == "node-b");
    CHECK(site.ssh_user.empty());
    CHECK(told(unknown, "--set seconds=20s"));
    CHECK(told(unknown, "COLOUR means nothing"));
    CHECK(told(unknown, "interface and address of node-b"));
}

TEST_CASE("an interface that is not there is told, and no address is invented") {
    std::vector<std::string> unknown;
    const auto site = from_env("CLUSTER_PEERS=node-b\nCLUSTER_IFACE=enp9s9\n", &unknown);
    CHECK(told(unknown, "there is no interface enp9s9"));
    CHECK(site.links[0].end("node-a")->address.empty());
    CHECK_THROWS_AS(from_env("IPERF_SECONDS=20\n"), UsageError);
}

TEST_CASE("peers that are this machine, stand twice, share a first label or are addresses still make a site file") {
    std::vector<std::string> unknown;
    const auto site = from_env(
        "MACHINE_NAME=s1\nCLUSTER_PEERS=\"s1 node-a.home.arpa gpu.x.arpa gpu.y.arpa gpu.x.arpa 10.10.0.2 fd00::2\"\nCLUSTER_IFACE=enp1s0\n",
        &unknown);
    std::vector<std::string> keys;
    for (const auto& machine : site.machines) keys.push_back(machine.key);
    CHECK(keys == std::vector<std::string>{"s1", "gpu", "gpu-2", "10-10-0-2", "fd00--2"});
    CHECK(told(unknown, "s1 stands among the peers, and is this machine itself"));
    CHECK(told(unknown, "node-a.home.arpa stands among the peers"));
    CHECK(site.links[0].end("gpu-2")->name == "gpu.y.arpa");
    CHECK(site.links[0].end("10-10-0-2")->address == "10.10.0.2");
    CHECK(site.links[0].end("10-10-0-2")->name.empty());
}

TEST_CASE("an interface may have a name that no link may have") {
    auto odd = seen();
    const auto named = [&](const std::string& name) {
        odd.things.push_back({"interface", name, {{"address", "10.9.0.1/24", nullptr, "end.address", "10.9.0.1"}}});
    };
    for (const char* name : {"a;b", "a-b", "-x", "\xc3\xbcmlaut"}) named(name);
    odd.things.erase(odd.things.begin(), odd.things.begin() + 3);
    const auto site = runbook::parse_site(runbook::to_yaml(site_from_look(odd, "node-a")), "site.yaml");
    std::vector<std::string> ids, interfaces;
    for (const auto& link : site.links) {
        ids.push_back(link.id);
        interfaces.push_back(link.end("node-a")->interface);
    }
    CHECK(ids == std::vector<std::string>{"a-b", "a-b-2", "link-x", "link--mlaut"});
    CHECK(interfaces == std::vector<std::string>{"a;b", "a-b", "-x", "\xc3\xbcmlaut"});
}

TEST_CASE("a settings file is read as a shell would, where it needs none") {
    CHECK(parse_env("\xef\xbb\xbf"
                    "A=1\n",
                    "f")
              .at("A") == "1");
    CHECK(parse_env("export\tA=1\n", "f").at("A") == "1");
    CHECK(parse_env("A=#ops\nB= # nothing\n", "f") == std::map<std::string, std::string>{{"A", "#ops"}, {"B", ""}});
    CHECK(parse_env("A='~/x'\nB=\"a;b\"\n", "f") == std::map<std::string, std::string>{{"A", "~/x"}, {"B", "a;b"}});
    for (const char* needy : {"A=~/models\n", "A=a;b\n", "A=a&b\n", "A=a|b\n", "A=<a\n", "A=(a)\n"})
        CHECK_THAT(refused(needy), ContainsSubstring(".env:1: the value needs a shell"));
}

TEST_CASE("nothing in a settings file is expanded or run, and what would need a shell is refused with its line") {
    CHECK(parse_env("A=\"b c\" # d\nB=\nA=e\n", "f") == std::map<std::string, std::string>{{"A", "e"}, {"B", ""}});
    CHECK(parse_env("A='$(x)'\n", "f").at("A") == "$(x)");
    CHECK(refused("A=1\nB=$(hostname)\n") == ".env:2: the value needs a shell ($, ` or \\); write it out");
    CHECK_THAT(refused("A=`x`\n"), ContainsSubstring(".env:1"));
    CHECK_THAT(refused("A=b c\n"), ContainsSubstring("needs quotes"));
    CHECK_THAT(refused("A=\"b\n"), ContainsSubstring("not closed"));
    CHECK_THAT(refused("just words\n"), ContainsSubstring("expected KEY=value"));
}

TEST_CASE("names from elsewhere cannot break the file: they are quoted, and comments stay comments") {
    runbook::SiteDraft draft;
    draft.about = "two\nlines: {";
    draft.machines = {{"node-a", {{"note", runbook::scalar("a: [b # c")}, {"yes", runbook::scalar("no")}}}};
    draft.unknown = {"x\nmachines: {}"};
    const auto site = runbook::parse_site(runbook::to_yaml(draft), "site.yaml");
    CHECK(site.machine("node-a")->node.find("note")->text == "a: [b # c");
    CHECK(runbook::machine_key("Node A.home") == "Node-A");
}
