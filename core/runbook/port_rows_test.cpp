// `each: port`: links of one physical port, measured together.
#include "catch.hpp"
#include "runbook/expand.hpp"
#include "runbook/lint.hpp"
#include "runbook/support_for_tests.hpp"

namespace port_rows_test {

using namespace diag::runbook;
using diag::runbook::testing::catalogue;
using diag::runbook::testing::error_of;

namespace {

using Labels = std::vector<std::string>;

// Two functions of one port between a and b, of which c has an end on one; another port with a single link; a link without a port.
const std::string site_text = R"(machines: {a: {}, b: {roles: [store]}, c: {}}
links:
- id: d0
  port: direct
  group: fast
  speed: 200Gbit
  ends:
    a: {interface: a0, address: 10.0.0.1}
    b: {interface: b0, address: 10.0.0.2}
    c: {interface: c0, address: 10.0.0.3}
- {id: house, ends: {a: {address: 10.9.0.1}, b: {address: 10.9.0.2}}}
- {id: other, port: single, ends: {a: {address: 10.8.0.1}, b: {address: 10.8.0.2}}}
- id: d1
  port: direct
  speed: 100Gbit
  ends:
    b: {interface: b1, address: 10.0.1.2, mac: "00:00:00:00:00:02"}
    a: {interface: a1, address: 10.0.1.1}
)";

// The same for so many machines, each with an end on both links.
std::string planes(int machines, const std::string& more = "") {
    const std::string all = "n[1-" + std::to_string(machines) + "]";
    std::string text = "machines: {\"" + all + "\": {}}\nlinks:\n";
    for (const char* id : {"p0", "p1"})
        text += std::string("- {id: ") + id + ", port: p, " + more + "members: \"" + all + "\", end: {name: \"{machine}-" + id + "\"}}\n";
    return text;
}

Plan plan(const std::string& site_text, const std::string& checkpoint, const std::string& machine = "a") {
    const Site site = parse_site(site_text, "s");
    const Runbook runbook = parse_runbook("runbook: r\ncheckpoints:\n- id: c\n  each: port\n" + checkpoint, "r");
    const auto known = catalogue();
    return make_plan({runbook, &site, known, machine});
}

const std::string plain = "  checks: [{net.plain: }]\n";

Labels labels(const Plan& plan) {
    Labels all;
    for (const auto& row : plan.checkpoints.at(0).rows) all.push_back(std::to_string(row.round) + " " + row.label);
    return all;
}

// What `expression` becomes as a list in the first row.
diag::json list(const std::string& expression) {
    const Plan made = plan(site_text, "  checks: [{net.types: {a-list: \"" + expression + "\"}}]\n");
    return made.checkpoints.at(0).rows.at(0).checks.at(0).params.value("a-list", diag::json());
}

std::string error(const std::string& check) {
    return error_of([&] { plan(site_text, "  checks:\n  - " + check + "\n"); });
}

}  // namespace

TEST_CASE("a port has a row for each direction between two machines that share two of its links or more, one after the other") {
    const Plan made = plan(site_text, plain);
    CHECK(labels(made) == Labels{"1 direct (2 links): a -> b", "2 direct (2 links): b -> a"});
    const auto& back = made.checkpoints[0].rows[1].checks[0];
    CHECK(back.machine == "b");
    CHECK(back.there == "a");
    CHECK(made.warnings.empty());
    CHECK(made.checkpoints[0].no_rows.empty());
    CHECK(labels(plan(site_text, plain, "c")) == labels(made));  // the same from every machine
}

TEST_CASE("ports of many machines keep to the pairs of their links, and to rounds") {
    CHECK(labels(plan(planes(4), plain, "n1")).size() == 12);
    CHECK(labels(plan(planes(4), "  pairs: ring\n" + plain, "n1")).size() == 8);
    const Plan ring = plan(planes(12, "pairs: ring, "), plain, "n1");
    CHECK(ring.checkpoints[0].rows.size() == 24);
    CHECK(ring.checkpoints[0].rows.back().round == 4);
    CHECK(ring.warnings.empty());
}

TEST_CASE("where narrows ports by their word, a group whose links share it, and roles") {
    CHECK(labels(plan(site_text, "  where: direct\n" + plain)).size() == 2);
    CHECK(labels(plan(site_text, "  where: store\n" + plain)) == Labels{"1 direct (2 links): a -> b"});
    const Plan one = plan(site_text, "  where: d0\n" + plain);  // one function alone is no port
    CHECK(labels(one).empty());
    CHECK_THAT(one.warnings.at(0), ContainsSubstring("no rows: nothing here is 'd0'"));
    CHECK_THAT(plan(site_text, "  where: dircet\n" + plain).warnings.at(0), ContainsSubstring("did you mean 'direct'?"));
}

TEST_CASE("a site without such a port has no rows, says so, and warns of nothing") {
    const std::string without =
        "machines: {a: {}, b: {}}\nlinks: [{id: l, port: p, ends: {a: {address: 10.0.0.1}, b: {address: 10.0.0.2}}}]\n";
    for (const std::string where : {"", "  where: p\n"}) {
        const Plan made = plan(without, where + plain);
        CHECK(labels(made).empty());
        CHECK(made.warnings.empty());
        CHECK(made.checkpoints[0].no_rows == "no port with two links to one machine");
    }
}

TEST_CASE("what is said of a port is a list: a value of each of its links, in the order of the site file") {
    CHECK(list("${port.id}") == diag::json{"d0", "d1"});
    CHECK(list("${port.speed}") == diag::json{"200Gbit", "100Gbit"});
    CHECK(list("${port.here.interface}") == diag::json{"a0", "a1"});
    CHECK(list("${port.there.address}") == diag::json{"10.0.0.2", "10.0.1.2"});
    CHECK(list("${port.there.machine}") == diag::json{"b", "b"});
    CHECK(list("${port.group}").is_null());      // of one of the two only
    CHECK(list("${port.there.mac}").is_null());  // the same
    const Plan named = plan(site_text, "  checks: [{net.types: {a-text: \"${port.name}, ${peer.key}, ${machine.key}\"}}]\n");
    CHECK(named.checkpoints[0].rows[0].checks[0].params["a-text"] == "direct, b, a");
}

TEST_CASE("a port's references are refused where they can have no value") {
    CHECK_THAT(error("net.types: {a-text: \"${link.id}\"}"),
               ContainsSubstring("'link' has a value only where 'each' is link or direction"));
    CHECK_THAT(error("net.types: {a-text: \"${port}\"}"), ContainsSubstring("${port}: write ${port.name} or ${port.KEY}"));
    CHECK_THAT(error("net.types: {a-text: \"${port.speed}\"}"), ContainsSubstring("expected one value (text), not a list"));
    CHECK_THAT(error("net.types: {a-text: \"at ${port.speed}\"}"), ContainsSubstring("cannot stand inside a text"));
    CHECK(error("{net.plain: , on: \"${peer.key}\"}") == "no error");
}

TEST_CASE("a key that only a port's reference reaches is used") {
    const Site site = parse_site(site_text, "s");
    const Runbook runbook =
        parse_runbook("runbook: r\ncheckpoints:\n- id: c\n  each: port\n  checks: [{net.types: {a-list: \"${port.speed}\"}}]\n", "r");
    std::string told;
    for (const auto& finding : lint({runbook}, &site, catalogue())) told += finding.text + "\n";
    CHECK(told == "nothing uses 'mac'\n");
}

}  // namespace port_rows_test
