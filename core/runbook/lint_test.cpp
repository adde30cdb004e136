#include "runbook/lint.hpp"

#include "catch.hpp"
#include "runbook/support_for_tests.hpp"

namespace lint_test {

using namespace diag::runbook;
using diag::runbook::testing::catalogue;

namespace {

using Lines = std::vector<std::string>;

Lines lint_text(const std::string& runbook, const std::string& site) {
    const auto known = catalogue();
    Lines lines;
    if (site.empty()) {
        for (const auto& finding : lint({parse_runbook(runbook, "r")}, nullptr, known)) lines.push_back(finding.line());
        return lines;
    }
    const Site parsed = parse_site(site, "s");
    for (const auto& finding : lint({parse_runbook(runbook, "r")}, &parsed, known)) lines.push_back(finding.line());
    return lines;
}

std::string runbook(const std::string& params, const std::string& each = "link") {
    return "runbook: r\ncheckpoints:\n- id: c\n  each: " + each + "\n  checks:\n  - net.reach: {" + params + "}\n";
}

const std::string good = "to: \"${link.there.name}\", name: \"${peer.name}\", mtu: \"${link.mtu}\"";

std::string site(const std::string& link_key, const std::string& end_key, const std::string& rest = "") {
    return "machines: {a: {name: a.lan}, b: {name: b.lan}}\nlinks:\n- id: l\n" + link_key + "  ends:\n    a: {name: a.lan" + end_key +
           "}\n    b: {name: b.lan}\n" + rest;
}

}  // namespace

TEST_CASE("without a site file, what can be known is checked, and nothing else is complained of") {
    CHECK(lint_text(runbook(good), "").empty());
    CHECK(lint_text(runbook("to: \"${lnk.x}\", name: n, mut: 3"), "") ==
          Lines{"r:6:42: net.reach has no parameter 'mut'; did you mean 'mtu'?",
                "r:6:21: ${lnk.x}: there is no 'lnk'; did you mean 'link'? (link, port, peer, machine, site, settings, item)"});
    CHECK(lint_text(runbook("to: x, name: n, mtu: 9k"), "").size() == 1);
    CHECK(lint_text(runbook("to: \"${link.there.name}\", name: n", "peer"), "").size() == 1);
}

TEST_CASE("a key of the site file that nothing uses is a warning with the nearest used one") {
    CHECK(lint_text(runbook(good), site("  mtu: 9000\n", "")).empty());
    CHECK(lint_text(runbook(good), site("  mtuu: 9000\n", "")).back() == "s:4:3: warning: nothing uses 'mtuu'; did you mean 'mtu'?");
    CHECK(lint_text(runbook(good), site("  mtu: 9000\n", ", adress: 10.0.0.1")).back() ==
          "s:6:22: warning: nothing uses 'adress'; did you mean 'address'?");
    CHECK(lint_text(runbook(good), site("  mtu: 9000\n", ", interface: eth0")).empty());
    CHECK(lint_text(runbook(good), site("  mtu: 9000\n", "", "storage: {server: a}\n")) == Lines{"s:8:1: warning: nothing uses 'storage'"});
}

TEST_CASE("below a key that is used in part, the rest is looked at; a list is used as a whole") {
    const std::string stores = "to: \"${site.storage.server}\", name: n, mtu: \"${link.mtu}\"";
    CHECK(lint_text(runbook(stores), site("  mtu: 9000\n", "", "storage: {server: a, exprot: /x}\n")) ==
          Lines{"s:8:22: warning: nothing uses 'exprot'"});
    const std::string items =
        "runbook: r\ncheckpoints:\n- id: c\n  each: storage.disks\n  checks:\n  - net.reach: {to: \"${item.name}\", name: n}\n";
    CHECK(lint_text(items, site("", "", "storage: {disks: [{name: x, size: 3}]}\n")).empty());
}

TEST_CASE("every machine's plan is looked at: an end may be wrong for one of them only") {
    const std::string text = runbook("to: \"${link.here.interface}\", name: n, mtu: \"${link.mtu}\"");
    const Lines lines = lint_text(text, site("  mtu: 9000\n", ", interface: eth0"));
    CHECK(
        lines ==
        Lines{"r:6:21: net.reach needs 'to' (text: whom to ask), and the end 'b' of link 'l' has no 'interface' in the site file (s:7:8)"});
}

TEST_CASE("one address on two links of a machine is a warning with both places; on one interface, over a switch, it is none") {
    const auto three = [](const std::string& first, const std::string& second) {
        return "machines: {a: {name: a.lan}, b: {name: b.lan}, c: {name: c.lan}}\nlinks:\n- id: l\n  mtu: 9000\n  ends:\n    a: {" + first +
               "}\n    b: {address: 10.0.0.2}\n- id: m\n  mtu: 9000\n  ends:\n    a: {" + second + "}\n    c: {address: 10.0.0.3}\n";
    };
    const std::string text = runbook("to: \"${link.there.address}\", name: n, mtu: \"${link.mtu}\"");
    const Lines told = {"s:11:18: warning: the address '10.0.0.1' of 'a' stands on two of its links; first at s:6:18"};
    CHECK(lint_text(text, three("address: 10.0.0.1", "address: 10.0.0.1")) == told);
    CHECK(lint_text(text, three("address: 10.0.0.1, interface: x", "address: 10.0.0.1, interface: y")) == told);
    CHECK(lint_text(text, three("address: 10.0.0.1, interface: x", "address: 10.0.0.1, interface: x")).empty());
    CHECK(lint_text(text, three("address: 10.0.0.1", "address: 10.0.0.4")).empty());
}

TEST_CASE("a pattern that gives many machines an address twice is told once") {
    const std::string links =
        "machines: {\"n[1-3]\": {}}\nlinks:\n- {id: l, mtu: 9000, members: \"n[1-3]\", end: {address: \"10.0.0.[1-3]\"}}\n"
        "- {id: m, mtu: 9000, members: \"n[1-3]\", end: {address: \"10.0.0.[1-3]\"}}\n";
    const Lines lines = lint_text(runbook("to: \"${link.there.address}\", name: n, mtu: \"${link.mtu}\""), links);
    REQUIRE(lines.size() == 1);
    CHECK_THAT(lines[0],
               ContainsSubstring("s:4:") && ContainsSubstring("the address '10.0.0.1' of 'n1' stands on two of its links; first at s:3:"));
}

TEST_CASE("a setting that nothing uses is a warning") {
    const std::string text =
        "runbook: r\nsettings: {n: 4, streams: 2}\ncheckpoints:\n- id: c\n  checks:\n  - net.types: {a-integer: \"${settings.n}\"}\n";
    CHECK(lint_text(text, "") == Lines{"r:2:18: warning: nothing uses 'streams'"});
}

}  // namespace lint_test
