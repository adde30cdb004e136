#include "runbook/rounds.hpp"

#include <map>
#include <set>

#include "catch.hpp"
#include "runbook/expand.hpp"
#include "runbook/lint.hpp"
#include "runbook/support_for_tests.hpp"

namespace rounds_test {

using namespace diag::runbook;
using diag::runbook::testing::catalogue;
using diag::runbook::testing::error_of;

namespace {

// One link of `machines` machines, n1 and on, with `more` keys; `links`: further links.
std::string site_text(int machines, const std::string& more = "", const std::string& links = "") {
    const std::string all = "n[1-" + std::to_string(machines) + "]";
    return "machines: {\"" + all + "\": {name: \"{machine}.lan\"}}\nlinks:\n- {id: data, " + more + "members: \"" + all +
           "\", end: {name: \"{machine}-data\"}}\n" + links;
}

Plan plan(const std::string& site_text, const std::string& checkpoint, const std::string& machine = "n1") {
    const Site site = parse_site(site_text, "s");
    const Runbook runbook = parse_runbook("runbook: r\ncheckpoints:\n- id: c\n" + checkpoint, "r");
    const auto known = catalogue();
    return make_plan({runbook, &site, known, machine});
}

const std::string plain = "  checks: [{net.plain: }]\n";

std::vector<std::string> labels(const Plan& plan) {
    std::vector<std::string> all;
    for (const auto& row : plan.checkpoints.at(0).rows) all.push_back(std::to_string(row.round) + " " + row.label);
    return all;
}

// The number of rounds; they must be in order, without a gap, and have every machine once at most.
int rounds(const Plan& plan) {
    std::map<int, std::set<std::string>> busy;
    int last = 1;
    for (const auto& row : plan.checkpoints.at(0).rows) {
        CHECK((row.round == last || row.round == last + 1));
        last = row.round;
        std::set<std::string> who;
        for (const auto& check : row.checks) who.insert({check.machine, check.there});
        for (const auto& machine : who) CHECK(busy[row.round].insert(machine).second);
    }
    return last;
}

int rounds(const std::string& site_text, const std::string& more = "") {
    return rounds(plan(site_text, "  each: direction\n" + more + plain));
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("directions run in rounds in which no machine takes part twice; within one, in the order of the site file") {
    CHECK(labels(plan(site_text(4), "  each: direction\n" + plain)) ==
          Labels{"1 data: n1 -> n4", "1 data: n2 -> n3", "2 data: n3 -> n2", "2 data: n4 -> n1", "3 data: n1 -> n2", "3 data: n3 -> n4",
                 "4 data: n2 -> n1", "4 data: n4 -> n3", "5 data: n1 -> n3", "5 data: n2 -> n4", "6 data: n3 -> n1", "6 data: n4 -> n2"});
    CHECK(rounds(site_text(2)) == 2);
    CHECK(rounds(site_text(8)) == 14);
    CHECK(rounds(site_text(7)) == 14);
}

TEST_CASE("other rows have no rounds") {
    CHECK(labels(plan(site_text(3), "  each: link\n" + plain)) == Labels{"0 data: n1 -> n2", "0 data: n1 -> n3"});
    CHECK(labels(plan(site_text(2), "  each: machine\n" + plain)) == Labels{"0 n1", "0 n2"});
    CHECK(labels(plan(site_text(2), plain)) == Labels{"0 "});
}

TEST_CASE("the rounds are those of all links together: machines that pause in one are measured on another") {
    const std::string second = "- {id: rail, members: \"n[1-8]\", end: {name: \"{machine}-rail\"}}\n";
    CHECK(rounds(site_text(8, "", second)) == 28);
    const std::string apart =
        "- {id: one, members: \"n[1-2]\", end: {name: \"{machine}-one\"}}\n"
        "- {id: two, members: \"n[3-4]\", end: {name: \"{machine}-two\"}}\n";
    CHECK(rounds(site_text(4, "", apart), "  where: one\n") == 2);
    CHECK(rounds(site_text(4, "", apart)) == 8);
}

TEST_CASE("a machine that every check is sent to makes the rows run one after the other") {
    const Plan far = plan(site_text(4), "  each: direction\n  checks: [{net.plain: , on: \"${link.there.machine}\"}]\n");
    CHECK(rounds(far) == 6);
    const Plan third = plan(site_text(4), "  each: direction\n  checks: [{net.plain: , on: n1}]\n");
    CHECK(third.checkpoints[0].rows.back().round == 12);
}

TEST_CASE("which pairs: the checkpoint says, else the link, else a mesh up to 8 ends and a ring above, which is said") {
    const auto rows = [](const std::string& site, const std::string& pairs, const std::string& each) {
        const Plan made = plan(site, "  each: " + each + "\n" + pairs + plain);
        return std::to_string(made.checkpoints[0].rows.size()) + (made.warnings.empty() ? "" : ", warned");
    };
    CHECK(rows(site_text(8), "", "direction") == "56");
    CHECK(rows(site_text(9), "", "direction") == "18, warned");
    CHECK(rows(site_text(9), "", "link") == "2, warned");
    CHECK(rows(site_text(9), "  pairs: ring\n", "direction") == "18");
    CHECK(rows(site_text(9), "  pairs: mesh\n", "link") == "8");
    CHECK(rows(site_text(9), "  pairs: sample 4\n", "link") == "4");
    CHECK(rows(site_text(9, "pairs: sample 4, "), "", "direction") == "36");
    CHECK(rows(site_text(9, "pairs: sample 4, "), "  pairs: mesh\n", "direction") == "72");
    CHECK(plan(site_text(9), "  each: link\n" + plain).warnings.at(0) ==
          "r:4:9: warning: link 'data' has 9 ends: each is measured with its two neighbours only; write 'pairs: mesh' for all, "
          "'pairs: sample N' for N partners each, or 'pairs: ring' where this is meant");
}

TEST_CASE("a link that has no rows is not warned of") {
    const std::string small = "- {id: small, members: \"n[1-2]\", end: {name: \"{machine}-small\"}}\n";
    CHECK(plan(site_text(9, "", small), "  each: direction\n  where: small\n" + plain).warnings.empty());
}

TEST_CASE("'pairs' elsewhere, or with another word, is an error with its place") {
    const auto error = [](const std::string& checkpoint) { return error_of([&] { plan(site_text(2), checkpoint); }); };
    CHECK(error("  each: machine\n  pairs: mesh\n" + plain) ==
          "r:5:10: 'pairs' chooses among the rows of 'each: link', 'each: direction' and 'each: port'; none of them is here");
    CHECK_THAT(error("  pairs: mesh\n" + plain), ContainsSubstring("r:4:10: 'pairs' chooses among the rows"));
    CHECK_THAT(error("  each: link\n  pairs: rnig\n" + plain),
               ContainsSubstring("r:5:10: 'pairs': expected mesh, ring or 'sample N'") && ContainsSubstring("did you mean 'ring'?"));
    CHECK_THAT(error_of([] { parse_site(site_text(2, "pairs: sample, "), "s"); }),
               ContainsSubstring("s:3:21: 'pairs': expected mesh, ring or 'sample N'"));
}

TEST_CASE("a mesh that is too large is refused before it is made, and says what to write") {
    CHECK(error_of([] { plan(site_text(2000), "  each: direction\n  pairs: mesh\n" + plain); }) ==
          "r:5:10: with link 'data' (2000 ends) there are 3998000 rows, more than 250000; write 'pairs: ring' or 'pairs: sample N'");
}

TEST_CASE("a mesh of peers asks each of them from every machine, where it starts, and no machine twice in a round") {
    const Plan made = plan(site_text(4), "  each: peer\n  mesh: true\n" + plain);
    const auto& rows = made.checkpoints[0].rows;
    CHECK(rows.size() == 12);
    CHECK(rows.back().round == 6);
    std::set<std::string> labels;
    std::map<int, std::set<std::string>> busy;
    for (const auto& row : rows) {
        const auto& check = row.checks.at(0);
        labels.insert(row.label);
        CHECK(row.label == check.machine + " -> " + check.there);
        CHECK(busy[row.round].insert(check.machine).second);
        CHECK(busy[row.round].insert(check.there).second);
    }
    CHECK(labels.size() == 12);
    CHECK(labels.contains("n4 -> n2"));
    CHECK(plan(site_text(4), "  each: peer\n" + plain).checkpoints[0].rows.size() == 3);
    CHECK(plan(site_text(4), "  each: peer\n  mesh: false\n" + plain).checkpoints[0].rows.back().round == 0);
}

TEST_CASE("'mesh' beside anything but peers is an error with its place, and so is one that is too large") {
    const auto error = [](int machines, const std::string& checkpoint) {
        return error_of([&] { plan(site_text(machines), checkpoint + plain); });
    };
    CHECK(error(2, "  each: link\n  mesh: true\n") ==
          "r:5:9: 'mesh' asks every peer from every machine; it stands beside 'each: peer'; for pairs of ends write 'pairs: mesh'");
    CHECK(error(2, "  mesh: true\n") == "r:4:9: 'mesh' asks every peer from every machine; it stands beside 'each: peer'");
    CHECK(error(501, "  each: peer\n  mesh: true\n") == "r:4:9: every peer from each of 501 machines is 250500 rows, more than 250000");
}

TEST_CASE("what 'where' leaves out is not counted: neither other links nor ends without the role") {
    const std::string rack = "- {id: rack, members: \"n[1-8]\", end: {name: \"{machine}-rack\"}}\n";
    CHECK(plan(site_text(2000, "", rack), "  each: direction\n  where: rack\n  pairs: mesh\n" + plain).checkpoints[0].rows.size() == 56);
    const std::string store =
        "machines: {\"n[1-999]\": {}, s: {roles: [store]}}\nlinks:\n- {id: l, members: [\"n[1-999]\", s], "
        "end: {name: \"{machine}-l\"}}\n";
    CHECK(rounds(plan(store, "  each: direction\n  where: store\n  pairs: mesh\n" + plain)) == 999);
    CHECK(plan(store, "  each: link\n  pairs: ring\n  where: store\n" + plain, "n5").warnings ==
          Labels{"r:6:10: warning: no rows: none of the pairs ends at a 'store'; 'pairs: mesh' has all"});
    CHECK_THAT(plan(store, "  each: direction\n  where: stor\n" + plain).warnings.at(0),
               ContainsSubstring("no rows: nothing here is 'stor'; did you mean 'store'? (store, l)"));
}

TEST_CASE("a thousand machines") {
    CHECK(rounds(site_text(1000, "pairs: ring, ")) == 4);
    CHECK(rounds(site_text(1000, "pairs: sample 8, ")) == 16);
    CHECK(rounds(site_text(64, "pairs: mesh, ")) == 126);
}

}  // namespace rounds_test
