// diag lint of a runbook with mistakes in its shape: everything wrong is told at once, and nothing that only follows from it.
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "runbook/lint.hpp"
#include "runbook/support_for_tests.hpp"

namespace draft_test {

using namespace diag::runbook;
using diag::runbook::testing::catalogue;
using diag::runbook::testing::error_of;

namespace {

using Lines = std::vector<std::string>;

Lines lint_draft(const std::string& runbook, const std::string& site = "") {
    const auto known = catalogue();
    std::optional<Site> parsed;
    if (!site.empty()) parsed = parse_site(site, "s");
    Lines lines;
    for (const auto& finding : lint({draft_runbook(runbook, "r")}, parsed ? &*parsed : nullptr, known)) lines.push_back(finding.line());
    return lines;
}

const std::string second = "- id: b\n  checks:\n  - net.plian: {}\n";  // begins in line 6 below
const std::string told = "r:8:5: plugin 'net' has no check 'net.plian'; did you mean 'net.plain'?";
const std::string two_machines =
    "machines: {a: {name: a.lan}, b: {name: b.lan}}\nlinks:\n- id: l\n  ends: {a: {name: a.l}, b: {name: b.l}}\n";

}  // namespace

TEST_CASE("a misspelt key of one checkpoint hides nothing that is wrong in another") {
    const std::string first = "runbook: r\ncheckpoints:\n- id: a\n  chekcs:\n  - net.plain: {}\n";
    CHECK(lint_draft(first + second) == Lines{"r:4:3: a checkpoint has no key 'chekcs'; did you mean 'checks'?", told});
    CHECK(lint_draft(first + second, two_machines) == lint_draft(first + second));
}

TEST_CASE("one mistake in the shape is one error, and nothing that follows from it") {
    const auto one = [](const std::string& runbook, const std::string& line) {
        CAPTURE(runbook);
        CHECK(lint_draft(runbook) == Lines{line});
        CHECK(lint_draft(runbook, two_machines) == Lines{line});
        CHECK(error_of([&] { parse_runbook(runbook, "r"); }) == line);  // a run refuses it for the same
    };
    const std::string head = "runbook: r\n", use = "checkpoints: [{id: a, checks: [net.types: {a-integer: \"${settings.n}\"}]}]\n";
    one("runbok: r\ncheckpoints: [{id: a, checks: [net.plain: {}]}]\n", "r:1:1: a runbook has no key 'runbok'; did you mean 'runbook'?");
    one(head + "chekpoints: [{id: a, checks: [net.plain: {}]}]\n", "r:2:1: a runbook has no key 'chekpoints'; did you mean 'checkpoints'?");
    one(head + "settigns: {n: 4}\n" + use, "r:2:1: a runbook has no key 'settigns'; did you mean 'settings'?");
    one(head + "settings: {n: {x: 1}}\n" + use, "r:2:15: the setting 'n' must be a value or a list, not a map");
    one(head + "settings: [n]\n" + use, "r:2:11: 'settings' must be a map (key: value), not a list");
    one(head + "checkpoints: [{id: a, chekcs: [net.plain: {}]}]\n", "r:2:23: a checkpoint has no key 'chekcs'; did you mean 'checks'?");
    one(head + "checkpoints: [{id: a, checks: {net.plain: {}}}]\n", "r:2:31: 'checks' must be a list (- ...), not a map");
    one(head + "checkpoints: [{id: a, checks: [plain: {}]}]\n",
        "r:2:32: a check needs its dotted name; write '- plugin.name: {parameter: value}'");
    one(head + "checkpoints: [net.plain]\n", "r:2:15: a checkpoint must be a map (key: value), not 'net.plain'");
    one("- a\n", "r:1:1: a runbook must be a map (key: value), not a list");
}

TEST_CASE("what is missing is told where nothing was misspelt for it, and a setting that no settings have") {
    CHECK(lint_draft("titel: x\ncheckpoints: [{id: a, checks: [net.plain: {}]}]\n") ==
          Lines{"r:1:1: a runbook has no key 'titel'; did you mean 'title'?",
                "r:1:1: a runbook needs 'runbook': its name, which also names its records"});
    CHECK(lint_draft("runbook: r\ntitel: x\nsettings: {n: 4}\n"
                     "checkpoints: [{id: a, checks: [net.types: {a-integer: \"${settings.m}\"}]}]\n") ==
          Lines{"r:2:1: a runbook has no key 'titel'; did you mean 'title'?",
                "r:4:55: ${settings.m}: the runbook has no setting 'm'; did you mean 'n'? (n)"});
}

TEST_CASE("warnings wait until the runbook is whole: what it seems to leave out may stand in the misspelt part") {
    const std::string use =
        "runbook: r\nsettings: {n: 4}\ncheckpoints:\n- id: a\n  CHECKS:\n  - net.types: {a-integer: \"${settings.n}\"}\n";
    std::string broken = use, whole = use;
    broken.replace(broken.find("CHECKS"), 6, "chekcs");
    whole.replace(whole.find("CHECKS"), 6, "checks");
    CHECK(lint_draft(broken).size() == 1);
    CHECK(lint_draft(whole).empty());
    whole.replace(whole.find("settings.n"), 10, "site.lab");
    CHECK(lint_draft(whole) == Lines{"r:2:12: warning: nothing uses 'n'"});
}

TEST_CASE("a misspelt kind of row is told with and without a site file, once") {
    const auto rows = [](const std::string& each, const std::string& to) {
        return "runbook: r\ncheckpoints:\n- id: a\n  each: " + each + "\n  checks:\n  - net.reach: {to: \"" + to + "\", name: n}\n";
    };
    const std::string of_link = "${link.there.name}", of_peer = "${peer.name}";
    for (const std::string& site : {std::string(), two_machines}) {
        CAPTURE(site);
        const auto told_once = [&](const std::string& each, const std::string& to, const std::string& word, const std::string& meant) {
            CAPTURE(each);
            const auto lines = lint_draft(rows(each, to), site);
            REQUIRE(lines.size() == 1);
            CHECK_THAT(lines[0], ContainsSubstring("not '" + word + "'; did you mean '" + meant + "'?"));
        };
        told_once("linkk", of_link, "linkk", "link");
        told_once("linkk\n  pairs: ring", of_link, "linkk", "link");
        told_once("peerr\n  mesh: true", of_peer, "peerr", "peer");
        told_once("peerr\n  where: storage", of_peer, "peerr", "peer");
        CHECK(lint_draft(rows("peer", of_peer), site).empty());
    }
    CHECK(lint_draft(rows("linkk", "${lnk.x}")).size() == 2);  // the rest of it is looked at as if it said link
}

TEST_CASE("a list that only a site file can know is no error without one, and with one the nearest list is named") {
    const std::string head = "runbook: r\ncheckpoints:\n- id: a\n  each: ",
                      tail = "\n  checks:\n  - net.reach: {to: \"${item.name}\", name: n}\n";
    for (const std::string each : {"storage.disks", "disks", "ports"}) {
        CAPTURE(each);
        CHECK(lint_draft(head + each + tail) ==
              Lines{"r:4:9: warning: 'each: " + each + "' names a list of the site file, and needs one to be checked (--site)"});
    }
    const std::string lists = two_machines + "storage: {disks: [{name: x}]}\nports: [{name: y}]\n";
    CHECK(lint_draft(head + "storage.disks" + tail, lists).size() == 1);  // nothing uses 'ports'
    const auto misspelt = lint_draft(head + "storage.dsiks" + tail, lists);
    CHECK_THAT(misspelt.at(0), ContainsSubstring("not 'storage.dsiks'; did you mean 'storage.disks'?"));
    CHECK_THAT(lint_draft(head + "ports\n  where: x" + tail, lists).at(0), ContainsSubstring("'where' narrows"));
}

TEST_CASE("a file that is no YAML, or cannot be read, is one fault and not an exception") {
    CHECK(lint_draft("runbook: [\n").size() == 1);
    const auto absent = read_draft("/nowhere/x.runbook");
    CHECK(absent.faults.size() == 1);
    CHECK(absent.file == "/nowhere/x.runbook");
}

}  // namespace draft_test
