// The machine at the other end of a planned check, and `on` as a reference to it.
#include "catch.hpp"
#include "runbook/expand.hpp"
#include "runbook/support_for_tests.hpp"

namespace there_test {

using namespace diag::runbook;
using diag::runbook::testing::catalogue;

namespace {

// Each check of the plan as "where it runs > its other end: ${link.here.machine} or what `to` is".
std::vector<std::string> halves(const std::string& each, const std::string& on, const std::string& to = "x") {
    const Site site = parse_site(
        "machines: {a: {}, b: {}, c: {}}\nlinks: [{id: l, ends: {a: {address: 10.0.0.1}, b: {address: 10.0.0.2}}}]\ndisks: [sda]\n", "s");
    const Runbook runbook =
        parse_runbook("runbook: r\ncheckpoints:\n- id: c\n" + (each.empty() ? "" : "  each: " + each + "\n") +
                          "  checks:\n  - net.reach: {to: \"" + to + "\", name: n}\n" + (on.empty() ? "" : "    on: \"" + on + "\"\n"),
                      "r");
    const auto known = catalogue();
    std::vector<std::string> found;
    const Plan plan = make_plan({runbook, &site, known, "a"});
    for (const auto& row : plan.checkpoints.at(0).rows)
        for (const auto& check : row.checks)
            found.push_back(check.machine + " > " + check.there + ": " + check.params.at("to").get<std::string>());
    return found;
}

using Halves = std::vector<std::string>;

}  // namespace

TEST_CASE("a check of a row with two machines knows the one at the other end") {
    CHECK(halves("link", "", "${link.here.machine}") == Halves{"a > b: a"});
    CHECK(halves("direction", "", "${link.there.machine}") == Halves{"a > b: b", "b > a: a"});
    CHECK(halves("peer", "", "${peer.key}") == Halves{"a > b: b", "a > c: c"});
}

TEST_CASE("a check of a row with one machine, or none, has no other end") {
    CHECK(halves("machine", "", "${machine.key}") == Halves{"a > : a", "b > : b", "c > : c"});
    CHECK(halves("disks", "") == Halves{"a > : x"});
    CHECK(halves("", "") == Halves{"a > : x"});
    CHECK(halves("", "b") == Halves{"b > : x"});
}

TEST_CASE("a check that 'on' sends to the far end has the near one opposite; what the row's references say stays") {
    CHECK(halves("link", "${link.there.machine}", "${link.here.machine}") == Halves{"b > a: a"});
    CHECK(halves("link", "${peer.key}", "${machine.key}") == Halves{"b > a: a"});
    CHECK(halves("peer", "${peer.key}") == Halves{"b > a: x", "c > a: x"});
    CHECK(halves("direction", "${link.there.machine}") == Halves{"b > a: x", "a > b: x"});
    CHECK(halves("link", "${link.here.machine}") == Halves{"a > b: x"});
}

}  // namespace there_test
