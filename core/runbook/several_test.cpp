// Patterns in a site file: machines, members of links, and the values that expand in step with them.
#include "catch.hpp"
#include "runbook/expand.hpp"
#include "runbook/lint.hpp"
#include "runbook/site.hpp"
#include "runbook/support_for_tests.hpp"

namespace several_test {

using namespace diag::runbook;
using diag::runbook::testing::catalogue;
using diag::runbook::testing::error_of;

namespace {

std::string error(const std::string& text) {
    return error_of([&] { parse_site(text, "s"); });
}

const std::string four = "machines:\n  n[08-11]: {name: \"n[08-11].lan\", roles: [compute]}\n  head: {}\n";

std::string with_link(const std::string& keys) { return four + "links:\n- id: data\n" + keys; }

std::vector<std::string> ends(const std::string& keys) {
    std::vector<std::string> found;
    const Site site = parse_site(with_link(keys), "s");
    for (const auto& end : site.links.at(0).ends) found.push_back(end.machine + " " + end.interface + " " + end.name + " " + end.address);
    return found;
}

using Ends = std::vector<std::string>;

}  // namespace

TEST_CASE("a pattern among the machines stands for all of them, and its values expand in step") {
    const Site site = parse_site(
        "machines:\n  gpu[001-400]:\n    name: gpu[001-400].cluster.example\n    roles: [compute, \"rack[1-20][1-20]\"]\n    bmc: "
        "10.9.[0-3].[1-100]\n"
        "    note: \"{machine} at [::1]:80\"\n  head: {name: head.cluster.example, note: \"see [1] and {machine}\"}\n",
        "s");
    REQUIRE(site.machines.size() == 401);
    CHECK(site.machines[6].key == "gpu007");
    CHECK(site.machine("gpu007")->name == "gpu007.cluster.example");
    CHECK(site.machine("gpu400")->node.find("bmc")->text == "10.9.3.100");
    CHECK(site.machine("gpu021")->roles == std::vector<std::string>{"compute", "rack21"});
    CHECK(site.machine("gpu002")->node.find("note")->text == "gpu002 at [::1]:80");
    CHECK(site.machine("gpu401") == nullptr);
    CHECK(site.machine("head")->node.find("note")->text == "see [1] and {machine}");
    CHECK(this_machine(site, "", "gpu399.cluster.example") == "gpu399");
}

TEST_CASE("'members' makes each machine an end of the link") {
    CHECK(ends("  members: n[08-09]\n  end: {interface: eth0, name: \"{machine}-data.lan\"}\n") ==
          Ends{"n08 eth0 n08-data.lan ", "n09 eth0 n09-data.lan "});
    CHECK(ends("  members: [\"n[10-11]\", head]\n  end: {address: \"10.0.[0-2].1\"}\n") ==
          Ends{"n10   10.0.0.1", "n11   10.0.1.1", "head   10.0.2.1"});
    CHECK(ends("  members: n[08-09]\n  end: {address: \"10.0.0.[8-9]\"}\n  ends: {head: {name: head-data}}\n") ==
          Ends{"head  head-data ", "n08   10.0.0.8", "n09   10.0.0.9"});
    CHECK(ends("  ends: {\"n[08-09]\": {name: \"n[08-09]-data\"}, head: {name: head-data}}\n") ==
          Ends{"n08  n08-data ", "n09  n09-data ", "head  head-data "});
}

TEST_CASE("the link's interface is that of every end which names none, for references too") {
    const std::string keys =
        "  interface: eth1\n  members: n[08-09]\n  end: {name: \"{machine}-data\"}\n  ends: {head: {interface: eth7, name: head-data}}\n";
    CHECK(ends(keys) == Ends{"head eth7 head-data ", "n08 eth1 n08-data ", "n09 eth1 n09-data "});
    const Site site = parse_site(with_link(keys), "s");
    const Runbook runbook = parse_runbook(
        "runbook: r\ncheckpoints:\n- id: c\n  each: link\n  checks: [{net.reach: {to: \"${link.here.interface} ${link.there.interface}\", "
        "name: n}}]\n",
        "r");
    const auto known = catalogue();
    CHECK(make_plan({runbook, &site, known, "n08"}).checkpoints[0].rows.at(0).checks[0].params["to"] == "eth1 eth7");
}

TEST_CASE("a machine that a pattern stands for is found by ${site.machines.KEY}") {
    const Site site = parse_site(four, "s");
    const Runbook runbook =
        parse_runbook("runbook: r\ncheckpoints:\n- id: c\n  checks: [{net.reach: {to: \"${site.machines.n09.name}\", name: n}}]\n", "r");
    const auto known = catalogue();
    CHECK(make_plan({runbook, &site, known, "head"}).checkpoints[0].rows.at(0).checks[0].params["to"] == "n09.lan");
}

TEST_CASE("a value that expands to another number is an error with both counts, told once") {
    CHECK(error("machines:\n  n[1-4]: {name: \"n[1-3].lan\"}\n") == "s:2:18: 'n[1-3].lan' stands for 3 texts, and 'n[1-4]' for 4 machines");
    CHECK(error(with_link("  members: [\"n[08-11]\", head]\n  end: {address: \"10.0.0.[1-4]\"}\n")) ==
          "s:7:18: '10.0.0.[1-4]' stands for 4 texts, and 'members' for 5 machines");
}

TEST_CASE("a slip in a pattern is told once, with its place and what was expected") {
    CHECK(error("machines:\n  n[4-1]: {}\n") == "s:2:3: 'n[4-1]': a range goes from the smaller number to the larger one, not '[4-1]'");
    CHECK_THAT(error("machines:\n  n[a-c]: {}\n"), ContainsSubstring("s:2:3: 'n[a-c]': expected numbers and ranges in brackets"));
    CHECK(error("machines:\n  n[1-2]: {name: \"x[2-1]\"}\n") ==
          "s:2:18: 'x[2-1]': a range goes from the smaller number to the larger one, not '[2-1]'");
    CHECK(error("machines:\n  \"-n[1-9]\": {}\n") == "s:2:3: '-n1' cannot be the key of a machine (letters, digits, '.', '_' and '-')");
    CHECK(error("machines:\n  n[1-9]: {name: \"n_{machine}!\"}\n") ==
          "s:2:18: 'n_n1!' is no host name (letters, digits and '-', in parts joined by '.')");
    CHECK(error("machines:\n  n[1-9]: {name: n.lan}\n") ==
          "s:2:18: the name 'n.lan' is given to several machines; write a pattern of as many, or {machine} in it");
    CHECK(error("machines:\n  n[1-200000]: {}\n") == "s:2:3: 'n[1-200000]': it stands for more than 100000 texts");
}

TEST_CASE("a pattern without quotes inside { } and [ ] is what YAML cannot read; the message says what to do") {
    const std::string hint = "; inside { } and [ ], write a pattern such as \"gpu[1-4]\" in quotes";
    CHECK_THAT(error("machines:\n  n[1-2]: {name: n[1-2].lan}\n"),
               ContainsSubstring("s:2:19: not readable as YAML:") && ContainsSubstring(hint));
    CHECK_THAT(error(with_link("  members: [n[08-09], head]\n")),
               ContainsSubstring("s:6:14: not readable as YAML:") && ContainsSubstring(hint));
}

TEST_CASE("a machine that two keys stand for, or two words of a link, is an error") {
    CHECK(error("machines:\n  n[1-4]: {}\n  n3: {}\n") == "s:3:3: 'n3' stands here twice: a pattern stands for it too");
    CHECK(error(with_link("  members: n[08-09]\n  end: {name: \"{machine}-d\"}\n  ends: {n09: {name: n09-d}}\n")) ==
          "s:6:12: 'n09' is an end of link 'data' twice");
}

TEST_CASE("members are machines of the site file, each with a name or an address") {
    CHECK(error(with_link("  members: n[08-99]\n  end: {name: \"{machine}-d\"}\n")) ==
          "s:6:12: 'machines' has no 'n12'; did you mean 'n10'?");
    CHECK(error(with_link("  members: n[08-11]\n")) == "s:6:12: the end 'n08' needs a 'name' or an 'address'");
    CHECK_THAT(error(with_link("  members: {n08: {}}\n")),
               ContainsSubstring("s:6:12: 'members' is a pattern such as \"gpu[001-400]\", or a list"));
    CHECK(error(with_link("  members: []\n")) == "s:6:12: 'members' is empty");
    CHECK(error(with_link("  members: n08\n  end: eth0\n"))
              .find("s:7:8: 'end' must be a map such as {name: \"{machine}-data\"}, not 'eth0'") == 0);
    CHECK_THAT(error(with_link("  end: {name: x}\n  ends: {head: {name: h}}\n")),
               ContainsSubstring("s:6:8: 'end' gives the values of 'members', and this link has none"));
    CHECK_THAT(error(with_link("  mtu: 9000\n")),
               ContainsSubstring("a link needs 'ends': the machines at its ends, each with its interface, name and address; or 'members'"));
}

TEST_CASE("all patterns of a file together are bounded") {
    std::string text = "machines:\n";
    for (int i = 0; i < 20; ++i) text += "  n" + std::to_string(i) + "-[1-100000]: {name: \"{machine}.lan\"}\n";
    CHECK_THAT(error(text), ContainsSubstring("the patterns of this file make more than 1000000 values"));
    std::string members = "  members: [";
    for (int i = 0; i < 3; ++i) members += "\"n[1-60000]\", ";
    CHECK_THAT(error(with_link(members + "head]\n")), ContainsSubstring("a link of more than 100000 machines"));
}

TEST_CASE("lint knows the keys of links of many machines, and tells an unused key of a pattern once") {
    const Site site = parse_site(
        with_link("  interface: eth0\n  pairs: ring\n  members: n[08-11]\n  end: {name: \"{machine}-data\", rail: \"{machine}\"}\n"), "s");
    const Runbook runbook = parse_runbook("runbook: r\ncheckpoints: [{id: c, each: link, checks: [{net.plain: }]}]\n", "r");
    std::string told;
    for (const auto& finding : lint({runbook}, &site, catalogue())) told += finding.line() + "\n";
    CHECK(told == "r:2:29: warning: no rows: the site file gives head no link\ns:9:33: warning: nothing uses 'rail'\n");
}

}  // namespace several_test
