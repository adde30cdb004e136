#include "runbook/runbook.hpp"

#include "catch.hpp"
#include "runbook/support_for_tests.hpp"

namespace runbook_test {

using namespace diag::runbook;
using diag::runbook::testing::error_of;

namespace {

std::string error(const std::string& text) {
    return error_of([&] { parse_runbook(text, "r"); });
}

// A runbook with one checkpoint that has these checks.
std::string checks(const std::string& items) { return "runbook: r\ncheckpoints:\n- id: c\n  checks:\n" + items; }

}  // namespace

TEST_CASE("a runbook's parts are read as they are written") {
    const Runbook runbook = parse_runbook(R"(runbook: bringup
title: Bring up
settings: {streams: 4, seconds: 20s, paths: [a, b]}
timeout: 500ms
on_failure: continue
checkpoints:
  - id: adapter
    title: The owner has enabled the adapter
    owner: [Enable SR-IOV.]
    reboot: true
    checks:
      - net.plain:
      - net.reach: {to: "${link.there.name}"}
        id: second
        timeout: 3s
        on: node-b
)",
                                          "r");
    CHECK(runbook.name == "bringup");
    CHECK(runbook.timeout == 0.5);
    CHECK(runbook.continue_on_failure);
    CHECK(runbook.settings.find("paths")->list.size() == 2);
    const Checkpoint& adapter = runbook.checkpoints.at(0);
    CHECK(adapter.reboot);
    CHECK(adapter.owner.at(0).text == "Enable SR-IOV.");
    CHECK(adapter.checks.at(0).params.is_null());
    CHECK(adapter.checks.at(1).id == "second");
    CHECK(adapter.checks.at(1).timeout == 3.0);
    CHECK(adapter.checks.at(1).on->text == "node-b");
    CHECK(to_text(adapter.checks.at(1).mark) == "r:13:9");
}

TEST_CASE("an unknown key names the nearest right one, at its place") {
    CHECK(error("runbook: r\ntitel: x\ncheckpoints: [{id: a, checks: [x.y: {}]}]\n") ==
          "r:2:1: a runbook has no key 'titel'; did you mean 'title'?");
    CHECK(error("runbook: r\ncheckpoints:\n- id: a\n  chekcs: []\n  owner: [x]\n") ==
          "r:4:3: a checkpoint has no key 'chekcs'; did you mean 'checks'?");
    CHECK_THAT(error("runbook: r\nzzzzzzzz: x\ncheckpoints: [{id: a, checks: [x.y: {}]}]\n"), ContainsSubstring("it has runbook, title"));
    CHECK_THAT(error("{}\n"), ContainsSubstring("r:1:1: a runbook needs 'runbook'") && ContainsSubstring("needs 'checkpoints'"));
    CHECK_THAT(error("- a\n"), ContainsSubstring("r:1:1: a runbook must be a map"));
}

TEST_CASE("a check item has one dotted key, with timeout, on and id beside it") {
    CHECK(error(checks("  - x.y: {}\n    timeout: 5s\n")) == "no error");
    CHECK(error(checks("  - x.y: {}\n    timout: 5s\n")) == "r:6:5: 'timout' cannot stand beside a check's name; did you mean 'timeout'?");
    CHECK(error(checks("  - x.y:\n    interface: eth0\n")) ==
          "r:6:5: 'interface' cannot stand beside a check's name; parameters go below 'x.y:', further in");
    CHECK(error(checks("  - x.y: {}\n    x.z: {}\n")) == "r:6:5: 'x.z' beside 'x.y': each goes into an item of its own ('- ')");
    CHECK_THAT(error(checks("  - x.y\n")), ContainsSubstring("r:5:5: a check must be a map, not 'x.y'"));
    CHECK_THAT(error(checks("  - id: q\n")), ContainsSubstring("r:5:5: a check needs its dotted name"));
    CHECK(error(checks("  - x.y: [a]\n")) == "r:5:10: 'x.y' must have a map of parameters, not a list");
    CHECK_THAT(error("runbook: r\ncheckpoints: [{id: a, checks: {x.y: {}}}]\n"), ContainsSubstring("r:2:31: 'checks' must be a list"));
}

TEST_CASE("ids are unique and plain") {
    CHECK_THAT(error(checks("  - {x.y: {}, id: a}\n  - {x.z: {}, id: a}\n")),
               ContainsSubstring("r:6:6: two checks of this checkpoint have the id 'a'"));
    CHECK(error(checks("  - {x.y: {}, id: a}\n  - {x.z: {}, id: b}\n")) == "no error");
    CHECK_THAT(error(checks("  - {x.y: {}, id: A_b}\n")), ContainsSubstring("r:5:19: 'A_b' cannot be an id"));
    CHECK_THAT(error("runbook: ../x\ncheckpoints: [{id: a, checks: [x.y: {}]}]\n"), ContainsSubstring("r:1:10: '../x' cannot be the name"));
    CHECK_THAT(error("runbook: r\ncheckpoints: [{id: a, checks: [x.y: {}]}, {id: a, checks: [x.y: {}]}]\n"),
               ContainsSubstring("r:2:48: two checkpoints have the id 'a'"));
    CHECK_THAT(error("runbook: r\ncheckpoints: [{checks: [x.y: {}]}]\n"), ContainsSubstring("r:2:15: a checkpoint needs 'id'"));
}

TEST_CASE("a checkpoint that could not fail is an error") {
    CHECK_THAT(error("runbook: r\ncheckpoints:\n- id: a\n  checks: []\n"), ContainsSubstring("r:3:3: a checkpoint needs 'checks'"));
    CHECK_THAT(error("runbook: r\ncheckpoints: []\n"), ContainsSubstring("r:2:14: 'checkpoints' must be a list"));
    CHECK(error("runbook: r\ncheckpoints:\n- id: a\n  owner: [Plug it in.]\n") == "no error");
}

TEST_CASE("durations, words and steps are typed") {
    CHECK_THAT(error("runbook: r\ntimeout: 10\ncheckpoints: [{id: a, owner: [x]}]\n"),
               ContainsSubstring("r:2:10: 'timeout': expected a duration"));
    CHECK_THAT(error("runbook: r\ntimeout: 0\ncheckpoints: [{id: a, owner: [x]}]\n"), ContainsSubstring("must be more than 0"));
    CHECK_THAT(error("runbook: r\non_failure: contine\ncheckpoints: [{id: a, owner: [x]}]\n"),
               ContainsSubstring("r:2:13: 'on_failure' is stop or continue, not 'contine'; did you mean 'continue'?"));
    CHECK_THAT(error("runbook: r\ncheckpoints: [{id: a, owner: x}]\n"), ContainsSubstring("r:2:30: 'owner' must be a list of steps"));
    CHECK_THAT(error("runbook: r\ncheckpoints:\n- id: a\n  owner:\n  - Set: on\n"),
               ContainsSubstring("r:5:5: an owner step must be one text"));
    CHECK_THAT(error("runbook: r\ncheckpoints: [{id: a, owner: [x], reboot: yes}]\n"), ContainsSubstring("'reboot' must be true or false"));
    CHECK_THAT(error("runbook: r\nsettings: {a: {b: 1}}\ncheckpoints: [{id: a, owner: [x]}]\n"),
               ContainsSubstring("r:2:15: the setting 'a' must be a value or a list"));
    CHECK_THAT(error("runbook: r\ntitle:\ncheckpoints: [{id: a, owner: [x]}]\n"), ContainsSubstring("r:2:1: 'title' has no value"));
}

}  // namespace runbook_test
